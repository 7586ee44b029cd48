"""What an empty forum says, and the number of what waits for moderators."""

from tests.functional.forum import Forum

from .visitor import Visitor, with_password


def test_an_empty_forum_tells_its_operator_what_to_do_first(forum: Forum) -> None:
    home = Visitor(forum).get("/")
    commands = home.html.find("pre").text
    assert "node add" in commands
    assert "user add" in commands
    assert home.html.find(class_="nodes") is None
    assert home.html.find("ol", class_="topics") is None


def test_a_forum_without_topics_leads_to_the_first_one(forum: Forum) -> None:
    node = forum.node()
    nobody, ann = Visitor(forum), Visitor(forum)
    for path in ("/", f"/topics/node{node}"):
        assert "Who is logged in can begin." in nobody.get(path).text
    with_password(forum, "ann")
    ann.log_in("ann")
    form = ann.get(f"/topics/node{node}").click("Write the first topic")
    assert form.request.GET["node_id"] == str(node)
    forum.topic(forum.person("bob"), node)
    for browser in (nobody, ann):
        page = browser.get(f"/topics/node{node}")
        assert page.html.find(class_="empty") is None
        assert len(page.html.find("ol", class_="topics").find_all("li", recursive=False)) == 1


def test_moderators_see_on_every_page_how_many_wait_and_nobody_else_does(forum: Forum) -> None:
    node = forum.node()
    ann = forum.person("ann")
    topic = forum.topic(ann, node)
    bob = forum.person("bob")
    bob.post("/reports", obj_type="topic", obj_id=topic, category="spam")
    seen = {}
    for login, role in (("chief", "maintainer"), ("eve", "member")):
        with_password(forum, login, role=role)
        browser = Visitor(forum)
        browser.log_in(login)
        menu = browser.get("/settings").html.find(class_="menu")
        seen[login] = [mark.text for mark in menu.find_all(class_="mark")]
    assert seen == {"chief": ["1", "1"], "eve": []}
