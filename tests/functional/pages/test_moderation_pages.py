"""The pages of moderators, and the forms on which members report something."""

import pytest

from forumsvc.errors import Unavailable
from forumsvc.models import AdminAction, Restriction
from forumsvc.queries import reviews
from forumsvc.services.moderation.actions import ACTION_KINDS
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person, content
from tests.functional.test_reports import wrong_counters

from .visitor import Visitor, form_of, problem, sent, with_password


@pytest.fixture
def chief(forum: Forum) -> Visitor:
    """A maintainer who is logged in."""
    with_password(forum, "chief", role="maintainer")
    visitor = Visitor(forum)
    visitor.log_in("chief")
    return visitor


@pytest.fixture
def member(forum: Forum, ann: int) -> Visitor:
    """The member ann, who is logged in."""
    visitor = Visitor(forum)
    visitor.log_in()
    return visitor


@pytest.fixture
def bob(forum: Forum) -> Person:
    """An author."""
    return forum.person("bob")


@pytest.fixture
def topic(forum: Forum, bob: Person) -> int:
    """The id of a topic of bob's."""
    return forum.topic(bob, forum.node(), title="Buy now", body="Cheap **boats**")


def test_a_review_shows_what_was_reported_if_it_was_edited_since(
    forum: Forum, chief: Visitor, bob: Person, topic: int
) -> None:
    forum.person("ann").post("/reports", obj_type="topic", obj_id=topic, category="spam")
    page = chief.get("/moderation").click("Buy now")
    assert page.html.find("main").find("details") is None
    node = content(bob.get(f"/topics/{topic}"))["node_id"]
    bob.post(f"/topics/{topic}", title="Nothing", node_id=node, body="Fine")
    shown = chief.get(page.request.path).html.find("section", {"aria-labelledby": "reports"})
    assert "Cheap **boats**" in shown.find("details").text


def test_a_moderator_deletes_with_a_reason_sees_that_and_gives_back(
    forum: Forum, member: Visitor, chief: Visitor, bob: Person, topic: int
) -> None:
    reply = forum.reply(bob, topic, "A **loud** reply")
    path = f"/topics/{topic}"

    def act(action: str, reason: str) -> None:
        asking = chief.get(path).html.find("main").find("a", href=action)
        chief.send(asking["href"], reason=reason)

    act(f"/replies/{reply}/delete", "Rude")
    assert "loud" not in member.get(path).text
    assert "/restore" not in member.get(path).text
    assert "This reply is deleted." in chief.get(path).text
    act(f"/replies/{reply}/restore", "A mistake")
    assert "loud" in member.get(path).text
    act(f"{path}/delete", "Spam")
    assert member.get(path).status_int == 410
    assert "This topic is deleted." in chief.get(path).text
    act(f"{path}/restore", "No spam")
    assert member.get(path).status_int == 200
    told = [(one["action"], one["reason"]) for one in content(bob.get("/notifications"))]
    assert told[::-1] == [
        ("reply.deleted", "Rude"),
        ("reply.restored", "A mistake"),
        ("topic.deleted", "Spam"),
        ("topic.restored", "No spam"),
    ]
    assert wrong_counters(forum) == []


def test_a_report_is_decided_and_everybody_is_told(
    forum: Forum, member: Visitor, chief: Visitor, bob: Person, topic: int
) -> None:
    form = member.get(f"/topics/{topic}").click("Report", href="report").forms
    report = next(one for one in form.values() if one.action.endswith("/report"))
    thanks = sent(report, category="spam", comment="The third time").follow()
    assert "Thank you." in thanks.text
    assert "Thank you." not in member.get(f"/topics/{topic}/report").text, "once"
    review = chief.get("/moderation").click("Buy now")
    assert "The third time" in review.text
    assert "<strong>boats</strong>" in review.text
    decided = sent(
        next(one for one in review.forms.values() if "/reviews/" in one.action),
        decision="hide",
        reason="Advertising",
        silence_days="3",
    )
    assert decided.location.endswith("/moderation")
    assert "Buy now" not in chief.get("/moderation").html.find("main").text
    assert "Buy now" in chief.get("/moderation/resolved").text
    assert chief.get("/moderation/resolved").html.main.find(class_="mark") is None
    assert chief.get(review.request.path).html.main.find(class_="mark") is None
    assert member.get(f"/topics/{topic}").status_int == 404
    assert "thank you for your report: it was right" in member.get("/notifications").text
    told = [one["reason"] for one in content(bob.get("/notifications"))]
    assert told == ["Advertising", "Advertising"]
    log = chief.get("/moderation/log")
    for action in ("The user is silenced", "The topic is hidden", "decided</strong>: hidden"):
        assert action in log.text
    assert "The user is silenced" not in chief.get("/moderation/log?action=topic.banned").text


def test_a_wrong_decision_shows_the_form_again(
    chief: Visitor, bob: Person, topic: int, forum: Forum
) -> None:
    forum.person("carol").post("/reports", obj_type="topic", obj_id=topic, category="spam")
    review = chief.get("/moderation").click("Buy now")
    form = next(one for one in review.forms.values() if "/reviews/" in one.action)
    form["decision"], form["silence_days"] = "hide", "3"
    again = form.submit(status=400)
    assert "Reason is required to silence the author, who is told." in again.text
    form["silence_days"], form["version"] = "", "7"
    late = form.submit(status=412)
    assert "has changed since it was read" in late.text
    assert forum.nobody.get(f"/topics/{topic}").status_int == 200


def test_a_user_is_silenced_warned_and_unsilenced_on_a_page(
    chief: Visitor, bob: Person, topic: int
) -> None:
    def send(action: str, **fields: str) -> None:
        page = chief.get("/bob").click("Restrictions")
        form = next(one for one in page.forms.values() if one.action.endswith(f"/{action}"))
        assert sent(form, **fields).status_int == 303

    send("warn", reason="Stay on topic")
    send("silence", reason="Too loud", days="2", note="Again")
    assert "Too loud" in chief.get("/bob").text
    for reader in (chief, Visitor(chief.forum)):
        assert "Member" in reader.get("/bob").html.dl.text, "the silence is not for everybody"
        assert "Blocked" not in reader.get("/bob").html.dl.text
    page = chief.get("/moderation/users/bob")
    assert "Again" in page.text
    assert bob.post(f"/topics/{topic}/replies", body="x").status_int == 403
    send("unsilence", reason="Fine")
    assert bob.post(f"/topics/{topic}/replies", body="x").status_int == 201


def test_what_is_wrong_in_a_form_is_said_beside_its_field(chief: Visitor, bob: Person) -> None:
    page = chief.get("/moderation/users/bob")
    form = next(one for one in page.forms.values() if one.action.endswith("/silence"))
    form["reason"], form["days"] = "Spam", "4000"
    again = form.submit(status=400)
    assert again.html.find(id="silence-days")["aria-invalid"] == "true"
    assert again.html.find(id="silence-days-wrong") is not None
    assert again.html.find(id="warn-reason").get("aria-invalid") is None


@pytest.mark.parametrize("path", ["", "/resolved", "/log", "/users/bob"])
def test_the_pages_are_for_moderators(
    visitor: Visitor, member: Visitor, bob: Person, path: str
) -> None:
    assert "/login?next=%2Fmoderation" in visitor.get(f"/moderation{path}").location
    assert member.get(f"/moderation{path}").status_int == 403
    assert member.get("/").html.find("a", href="/moderation") is None


def test_who_cannot_be_silenced_has_no_forms(chief: Visitor, forum: Forum) -> None:
    forum.person("root", role="admin")
    page = chief.get("/moderation/users/root")
    assert [one.action for one in page.forms.values() if "/moderation/" in one.action] == []


def test_what_one_has_reported_is_not_reported_again(
    member: Visitor, chief: Visitor, topic: int
) -> None:
    path = f"/topics/{topic}/report"
    member.send(path, category="spam").follow()
    page = member.get(path)
    assert page.html.main.find("form") is None
    assert page.html.main.find(class_="notice").text.startswith("You have reported this.")
    review = chief.get("/moderation").click("Buy now")
    form = next(one for one in review.forms.values() if "/reviews/" in one.action)
    sent(form, decision="dismiss")
    assert member.get(path).html.main.find("form") is not None


def test_whoever_decides_second_is_told_so_and_sees_the_decision(
    member: Visitor, chief: Visitor, topic: int
) -> None:
    member.send(f"/topics/{topic}/report", category="spam")
    review = chief.get("/moderation").click("Buy now")
    form = next(one for one in review.forms.values() if "/reviews/" in one.action)
    sent(form, decision="dismiss")
    late = sent(form, decision="hide")
    assert (late.status_int, problem(late)) == (
        *(412, "Another moderator has decided: see below."),
    )
    assert "dismiss the reports" in late.html.main.find(class_="notice").text


def test_a_second_moderator_who_silences_the_author_is_told_that_it_is_decided(
    forum: Forum, member: Visitor, chief: Visitor, topic: int
) -> None:
    member.send(f"/topics/{topic}/report", category="spam")
    with_password(forum, "second", role="maintainer")
    second = Visitor(forum)
    second.log_in("second")
    path = chief.get("/moderation").html.find("a", string="Buy now")["href"]
    form = second.form(path)
    assert chief.send(path, decision="hide", reason="Spam").status_int == 303
    late = sent(form, decision="hide", reason="Spam", silence_days="7")
    assert (late.status_int, problem(late)) == (
        *(412, "Another moderator has decided: see below."),
    )
    assert sent(form, decision="hide", reason="Spam", silence_days="").status_int == 303


def test_a_warning_and_a_silence_that_are_sent_twice_are_one(
    forum: Forum, chief: Visitor, bob: Person, topic: int
) -> None:
    for action, fields in (("warn", {}), ("silence", {"days": "2"})):
        page = chief.get("/moderation/users/bob")
        form = next(one for one in page.forms.values() if one.action.endswith(f"/{action}"))
        answers = [sent(form, reason="Too loud", **fields).status_int for _ in range(2)]
        assert answers == [303, 303]
    assert forum.count(Restriction) == 2


def test_no_address_makes_a_page_say_that_something_was_done(member: Visitor, topic: int) -> None:
    for path, message in ((f"/topics/{topic}/report", "reported"), ("/settings", "profile-saved")):
        page = member.get(path, flash_message=message)
        assert page.html.find(class_="notice") is None
        assert page.html.main.find("form") is not None


def test_the_page_of_a_report_has_no_link_to_another_site(member: Visitor) -> None:
    page = member.get("/users/%5Cevil.example/report")
    assert page.status_int == 404


def test_the_log_has_words_for_every_action() -> None:
    assert {type_ for type_, kind in ACTION_KINDS.items() if kind.words} >= {*AdminAction}


@pytest.mark.parametrize("number", ["999999", "9" * 5000])
def test_what_is_not_there_cannot_be_reported(member: Visitor, number: str) -> None:
    page = member.get(f"/topics/{number}/report")
    assert (page.status_int, problem(page)) == (404, "There is nothing here.")


def test_a_page_says_what_failed_also_if_the_count_of_reviews_did(
    chief: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise Unavailable("The database is away.")

    monkeypatch.setattr(reviews, "waiting", fail)
    page = chief.get("/")
    assert (page.status_int, "The database is away." in page.text) == (503, True)


def test_a_footer_that_cannot_be_rendered_stands_as_it_is(
    make_forum: MakeForum, monkeypatch: pytest.MonkeyPatch
) -> None:
    forum = make_forum(site__footer="Run by <us>")

    def fail(*_: object, **__: object) -> None:
        raise Unavailable("Busy.")

    monkeypatch.setattr(forum.registry.authoring.renderer, "render", fail)
    page = Visitor(forum).get("/topics/999999")
    assert (page.status_int, "Run by &lt;us&gt;" in page.text) == (404, True)


def test_one_cannot_report_ones_own_topic(forum: Forum, member: Visitor, ann: int) -> None:
    own = forum.topic(Person(forum.app, forum.token(ann), ann, "ann"), forum.node())
    page = member.get(f"/topics/{own}")
    assert page.html.find("a", href=f"/topics/{own}/report") is None
    assert member.get(f"/topics/{own}/report").status_int == 403


def test_a_silenced_member_reads_why_on_their_page(forum: Forum, member: Visitor, ann: int) -> None:
    chief = forum.person("boss", role="maintainer", scope="read moderate")
    chief.post(f"/users/{ann}/silence", reason="Too loud", days=3)
    assert "Too loud" in member.get("/ann").text
    assert "you can only read" in member.get("/notifications").text
    refused = member.post("/topics/new", title="x", node_id=str(forum.node()), body="x")
    assert (refused.status_int, "Too loud" in refused.text) == (403, True)


@pytest.mark.parametrize(("days", "words"), [(3, "You are silenced until"), (None, "silenced:")])
def test_a_silenced_member_reads_in_words_why_they_cannot_reply(
    forum: Forum, member: Visitor, ann: int, topic: int, days: int | None, words: str
) -> None:
    chief = forum.person("boss", role="maintainer", scope="read moderate")
    chief.post(f"/users/{ann}/silence", reason="Too <b>loud", days=days or "")
    page = member.get(f"/topics/{topic}").html
    for shown in (page.find_all(class_="hint")[-1], member.post("/topics/new").html.main):
        assert words in shown.text
        assert "Too <b>loud" in shown.text
        assert "T" not in shown.text.partition("until")[2].partition(":")[0]
        assert (shown.find("time") is not None) is (days is not None)


def test_a_moderator_sees_that_a_topic_is_deleted(chief: Visitor, topic: int) -> None:
    path = f"/topics/{topic}"
    assert "deleted" not in chief.get(path).html.find("main").text
    chief.post(f"{path}/delete")
    page = chief.get(path)
    assert page.status_int == 200
    assert "This topic is deleted." in page.html.find("main").find(class_="problem").text


def test_the_report_that_hides_a_post_is_thanked_for(make_forum: MakeForum) -> None:
    forum = make_forum(moderation__hide_after="2")
    with_password(forum)
    topic = forum.topic(forum.person("bob"), forum.node())
    reply = forum.reply(forum.person("carl"), topic)
    visitor = Visitor(forum)
    visitor.log_in()
    dora = forum.person("dora")
    for kind, number, path in (
        ("reply", reply, f"/replies/{reply}"),
        ("topic", topic, f"/topics/{topic}"),
    ):
        dora.post("/reports", obj_type=kind, obj_id=number, category="spam")
        thanks = visitor.send(f"{path}/report", category="spam").follow()
        assert thanks.status_int == 200
        assert "Thank you" in thanks.html.find(class_="notice").text
        assert visitor.get(f"{path}/report").status_int == 404


def test_the_review_of_a_held_topic_shows_its_title_node_and_reason(make_forum: MakeForum) -> None:
    forum = make_forum(posts__held_words="casino")
    with_password(forum, "chief", role="maintainer")
    bob, node = forum.person("bob"), forum.node("Boats")
    topic = forum.topic(bob, node)
    held = bob.post("/topics", title="Win <big>", node_id=node, body="At the casino")
    answered = bob.post(f"/topics/{topic}/replies", body="In the casino")
    assert (held.status_int, answered.status_int) == (202, 202)
    visitor = Visitor(forum)
    visitor.log_in("chief")
    links = visitor.get("/moderation").html.select("article a")
    topics, replies = (visitor.get(link["href"]).html.find("main") for link in links)
    assert topics.find(id="object").find("h2").text == "Win <big>"
    assert "Node: Boats" in topics.text
    assert "It holds a word that moderators look at." in topics.text
    link = replies.find(id="object").find("h2").find("a")
    assert (link.text, link["href"]) == ("A title", f"/topics/{topic}")


def test_the_queue_shows_what_was_said_and_each_decision_leads_to_the_next(
    forum: Forum, chief: Visitor
) -> None:
    ann, bob = forum.person("ann2"), forum.person("bob2")
    node = forum.node()
    for title in ("First", "Second"):
        topic = forum.topic(ann, node, title=title, body=f"The {title} text")
        bob.post("/reports", obj_type="topic", obj_id=topic, category="spam")
    shown = chief.get("/moderation", kind="reported", user="ann2")
    assert [entry.find(class_="excerpt").text for entry in shown.html.find_all(class_="entry")] == [
        *("The First text", "The Second text"),
    ]
    assert "1 report: Spam" in " ".join(shown.html.find("main").text.split())
    assert chief.get("/moderation", kind="held").html.find(class_="entry") is None
    page = sent(form_of(shown.click("First")), decision="hide").follow()
    assert page.html.find(id="object").find("h2").text == "Second"
    done = sent(form_of(page), decision="dismiss").follow()
    assert "nothing else waits" in done.html.find(role="status").text
    assert "'nobody'" in problem(chief.get("/moderation", user="nobody"))


def test_words_of_the_log_stand_apart(chief: Visitor, topic: int) -> None:
    chief.post(f"/topics/{topic}/ban")
    line = chief.get("/moderation/log").html.find("article").text
    assert "chief · User:" in " ".join(line.split())


def test_a_decided_review_has_no_mark_of_what_was(
    forum: Forum, chief: Visitor, member: Visitor, topic: int
) -> None:
    member.send(f"/topics/{topic}/report", category="spam")
    path = chief.get("/moderation").html.find("article").find("a")["href"]
    chief.send(path, decision="hide", reason="Ads")
    assert chief.get("/moderation/resolved").html.find("article").find_all(class_="mark") == []
