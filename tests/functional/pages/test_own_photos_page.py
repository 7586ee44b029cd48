"""The page of one's own photos: seeing and deleting them."""

import re

from tests.functional.forum import Forum, Person
from tests.functional.test_photos_own import upload

from .visitor import Visitor, form_of, sent, with_password

PATH = "/settings/photos"


def photo_of(forum: Forum, user_id: int, login: str = "ann") -> str:
    return upload(Person(forum.app, forum.token(user_id), user_id, login))


def deletions(member: Visitor) -> list[str]:
    return re.findall(rf"{PATH}/\d+/delete", member.get(PATH).text)


def test_a_photo_is_deleted_after_a_page_has_asked(forum: Forum, member: Visitor, ann: int) -> None:
    url = photo_of(forum, ann)
    [path] = deletions(member)
    asking = member.get(path)
    assert url in asking.text
    forum.app.get(url, status=200)
    assert "is deleted" in sent(form_of(asking)).follow().text
    forum.app.get(url, status=404)
    assert deletions(member) == []
    assert sent(form_of(asking)).status_int == 404


def test_photos_of_others_are_neither_shown_nor_deleted(
    forum: Forum, member: Visitor, ann: int
) -> None:
    with_password(forum, "eve")
    eve = Visitor(forum)
    eve.log_in("eve")
    url = photo_of(forum, ann)
    [path] = deletions(member)
    assert deletions(eve) == []
    assert eve.get(path).status_int == 403
    assert eve.post(path).status_int == 403
    forum.app.get(url, status=200)


def test_who_may_only_read_sees_their_photos_without_a_button(
    forum: Forum, member: Visitor, ann: int
) -> None:
    url = photo_of(forum, ann)
    forum.change(ann, state="blocked")
    assert url in member.get(PATH).text
    assert deletions(member) == []
