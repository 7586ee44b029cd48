"""All examples of the guide, run in their language against the service of `make serve`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from forumsvc.pages.docs.guide import CHAPTERS, EXAMPLE_URL, LANGUAGES, source
from tests.system import doc_examples
from tests.system.oauth.service import Service

from .demo import demo_service

FIRST, *_ = CHAPTERS
GENERATED = "generated-clients"
KEYED = "keyed-envelope"
PAGES = {name: doc_examples.blocks(source(name)) for name in CHAPTERS}
SPOKEN = [
    (name, language)
    for name, page in PAGES.items()
    for language in LANGUAGES
    if name not in (GENERATED, KEYED) and any(block.kind == language for block in page)
]


@pytest.fixture(scope="module")
def forum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    # As development.ini has it: the examples' receivers are on this machine.
    settings = {"webhooks__allow_private": "true"}
    with demo_service(tmp_path_factory.mktemp("guide"), **settings) as running:
        yield running


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The same service with the keyed envelope."""
    with demo_service(tmp_path_factory.mktemp("keyed"), api__envelope="keyed") as running:
        yield running


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    return doc_examples.commands(folder)


@pytest.mark.parametrize(("name", "language"), SPOKEN)
def test_every_example_works_and_answers_as_the_guide_shows(
    forum, programs, tmp_path, name, language
):
    Image.new("RGB", (8, 8), "teal").save(tmp_path / "picture.png")
    page = after_the_start(name)
    printed = doc_examples.run(page, language, forum.url, tmp_path, programs)
    # Where the page shows an answer to this language, it was compared.
    assert doc_examples.check_outputs(page, printed) >= 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_keyed_shape_is_as_its_chapter_shows(keyed, programs, tmp_path, language):
    page = [*start_in_any_shape(), *PAGES[KEYED]]
    printed = doc_examples.run(page, language, keyed.url, tmp_path, programs)
    examples = sum(block.kind == language for block in PAGES[KEYED])
    assert doc_examples.check_outputs(page, printed) == examples >= 4


@pytest.mark.parametrize("language", ["python", "js"])
def test_the_client_for_both_shapes_reads_the_bare_one_too(forum, programs, tmp_path, language):
    last = PAGES[KEYED][-1].group
    page = [*start_in_any_shape(), *(block for block in PAGES[KEYED] if block.group == last)]
    printed = doc_examples.run(page, language, forum.url, tmp_path, programs)
    assert doc_examples.check_outputs(page, printed) == 1


def test_a_client_generated_from_the_description_completes_a_session(forum, programs, tmp_path):
    page = after_the_start(GENERATED)
    # Nothing is left out: the generator is told to fail on its warnings.
    doc_examples.run(page, "sh", forum.url, tmp_path, programs)
    printed = doc_examples.run(page, "python", forum.url, tmp_path, programs)
    assert "Done(ok=1" in printed[len(page) - 1]


TYPED = """
from forum_client import AuthenticatedClient
from forum_client.api.replies import create_reply
from forum_client.api.topics import create_topic, delete_topic, list_topics
from forum_client.api.users import list_users, read_me
from forum_client.models import ReplyForm, TopicForm

client = AuthenticatedClient(base_url=FORUM, token=given.json()["access_token"])
[latest] = list_topics.sync(client=client, limit=1).topics
form = TopicForm(title="Typed", node_id=latest.node_id, body="By a *generated* client.")
made = create_topic.sync(client=client, body=form)
assert (made.topic.excellent, made.meta.liked, made.topic.abilities.update) == (0, False, True)
replied = create_reply.sync(made.topic.id, client=client, body=ReplyForm(body="It replies, too."))
assert replied.reply.user.abilities.update is True
me = read_me.sync(client=client).user
assert (me.github, me.abilities.follow) == (me.codehost, False)
assert {one.abilities.update for one in list_users.sync(client=client).users} == {True, False}
print(delete_topic.sync(made.topic.id, client=client))
"""


def test_a_client_generated_from_the_keyed_description_completes_a_session(
    keyed, programs, tmp_path
):
    start = start_in_any_shape()
    generator = [block for block in PAGES[GENERATED] if block.kind == "sh"]
    session = doc_examples.Block("python", TYPED, -1)
    page = [*start, *generator, session]
    doc_examples.run(page, "sh", keyed.url, tmp_path, programs)
    printed = doc_examples.run(page, "python", keyed.url, tmp_path, programs)
    assert "Done(ok=1" in printed[len(page) - 1]


def after_the_start(name: str) -> list[doc_examples.Block]:
    """Return the blocks of a chapter after those that fetch a token."""
    if name == FIRST:
        return PAGES[name]
    start = [block._replace(group=-1) for block in PAGES[FIRST][:4]]
    return [*start, *PAGES[name]]


def start_in_any_shape() -> list[doc_examples.Block]:
    """Return the blocks that fetch a token, without their output."""
    return [block._replace(group=-1) for block in PAGES[FIRST][:4] if block.kind in LANGUAGES]


def test_an_example_is_there_in_every_language_or_only_in_one_on_purpose():
    alone = {GENERATED: {"sh", "python"}}
    for name, page in PAGES.items():
        there = {block.kind for block in page} & set(LANGUAGES)
        assert there == alone.get(name, set(LANGUAGES)), name
        assert EXAMPLE_URL == doc_examples.ADDRESS
