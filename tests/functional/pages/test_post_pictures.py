"""Photos in posts have their size in the page, and a smaller version."""

from io import BytesIO
from typing import Any

from PIL import Image
from webtest import Upload

from tests.functional.forum import Forum, Person
from tests.functional.statements import counting

from .visitor import Visitor


def uploaded(person: Person, kind: str, color: str, size: tuple[int, int]) -> str:
    """Upload a picture of one color, and return its URL."""
    file = BytesIO()
    Image.new("RGB", size, color).save(file, kind)
    picture = Upload(f"a.{kind.lower()}", file.getvalue(), f"image/{kind.lower()}")
    answer = person.call("POST", "/photos", {"file": picture})
    return str(answer.json["image_url"])


def shown(forum: Forum, topic: int) -> list[Any]:
    return Visitor(forum).get(f"/topics/{topic}").html.select(".forum-content img")


def test_a_wide_photo_keeps_its_place_and_has_a_small_version(forum):
    ann = forum.person("ann")
    url = uploaded(ann, "JPEG", "teal", (960, 640))
    topic = forum.topic(ann, forum.node(), body=f"![Sea]({url})")
    [image] = shown(forum, topic)
    assert (image["width"], image["height"], image["loading"]) == ("960", "640", "lazy")
    assert image["srcset"] == f"{url}/480 480w, {url} 960w"
    assert "width=" not in ann.get(f"/topics/{topic}").json["body_html"]


def test_what_moves_is_small_or_no_photo_of_ours_has_no_small_version(forum):
    ann = forum.person("ann")
    small = uploaded(ann, "PNG", "teal", (300, 200))
    moving = uploaded(ann, "GIF", "teal", (960, 640))
    other = f"https://example.org/photos/ab/{'ab' * 32}.png"
    body = f"![a]({small}) ![b]({moving}) ![c]({other}) <img src='{small}' width='30'>"
    images = shown(forum, forum.topic(ann, forum.node(), body=body))
    assert [image.get("width") for image in images] == ["300", "960", None, "30"]
    assert [image.get("srcset") for image in images] == [None] * 4


def test_many_photos_cost_no_more_statements_than_one(forum):
    ann, node = forum.person("ann"), forum.node()
    urls = [uploaded(ann, "PNG", color, (20, 10)) for color in ("teal", "red", "blue")]
    one = forum.topic(ann, node, body=f"![a]({urls[0]})")
    many = forum.topic(ann, node, body=" ".join(f"![a]({url})" for url in urls))
    forum.reply(ann, many, f"![a]({urls[1]})")
    forum.reply(ann, one, "no picture")

    def statements(topic: int) -> int:
        with counting(forum.database) as seen:
            assert all(image.get("width") for image in shown(forum, topic))
        return len(seen)

    statements(one)
    assert statements(many) <= statements(one)
