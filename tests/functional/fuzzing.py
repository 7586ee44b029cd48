"""Schemathesis over the whole description, against the real application behind a real server."""

import io
import re
import threading
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jsonschema_rs
import schemathesis
import waitress
from PIL import Image
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import Status, events, from_schema

from forumsvc.db.cursors import Cursor
from forumsvc.errors import Invalid
from forumsvc.search.query import parse_moment, parse_query
from forumsvc.text.unicode_forms import is_blank
from tests.openapi.answers import resolvable
from tests.openapi.operations import operations

EXAMPLES = 2
SEQUENCES = 12
STEPS = 8
_FLAGS = ("true", "false", "1", "0", "", 0, 1)
"""What a form may write for a boolean."""


@dataclass(frozen=True)
class There:
    """Values of the forum that requests need, such as ids."""

    node_id: int
    topic_id: int
    photo: str


@dataclass
class Fuzzed:
    """What a run did. cases: how many requests in each phase; statuses: the answers; found: what
    was wrong, in words.
    """

    cases: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)


def picture() -> bytes:
    """Return a small PNG."""
    file = io.BytesIO()
    Image.new("RGB", (2, 3), "red").save(file, "PNG")
    return file.getvalue()


@contextmanager
def served(application: Any) -> Iterator[str]:
    """Serve an application on a free port of this machine and return the address."""
    server = waitress.create_server(application, host="127.0.0.1", port=0, threads=2, ident=None)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}"
    finally:
        # Its loop ends when it has nothing left to listen to.
        server.trigger.pull_trigger(lambda: _end(server))
        thread.join()


def _end(server: Any) -> None:
    for channel in [*server.active_channels.values()]:
        channel.handle_close()
    server.task_dispatcher.shutdown()
    server.close()
    raise SystemExit


def fuzz(
    base_url: str,
    there: There,
    *,
    token: str | None,
    without: tuple[str, ...] = (),
    scopes: Collection[str] = ("read", "write"),
) -> Fuzzed:
    """Run all phases and all checks but those named in `without`, as whoever has the token.

    scopes: of the operations of which each parameter's edges are tried.
    """
    settings: dict[str, Any] = {
        "base-url": base_url,
        "seed": 1,
        "continue-on-failure": True,
        "headers": {} if token is None else {"Authorization": f"Bearer {token}"},
        "generation": {
            "max-examples": EXAMPLES,
            "with-security-parameters": False,
            "deterministic": True,
            "no-shrink": True,
            "database": "none",
        },
        # Every text is taken for it, and the fuzzer would take it for the id of what it created.
        "parameters": {"X-Request-Id": "made-by-the-fuzzer"},
        "checks": {name: {"enabled": False} for name in without},
        "phases": {
            "coverage": {"unexpected-methods": ["PATCH"]},
            "stateful": {"max-steps": STEPS, "generation": {"max-examples": SEQUENCES}},
        },
    }
    spared = {"include-operation-id": _spared(scopes)}
    settings["operations"] = [{**spared, "phases": {"coverage": {"enabled": False}}}]
    config = SchemathesisConfig.from_dict(settings)
    fuzzed = Fuzzed()
    with _hooks(there):
        schema = schemathesis.openapi.from_url(
            f"{base_url}/api/v3/openapi.json?forms=true", config=config
        )
        for event in from_schema(schema.include(path_regex="^/api/")).execute():
            if isinstance(event, events.ScenarioFinished):
                _note(fuzzed, event)
            elif isinstance(event, events.NonFatalError | events.FatalError):
                fuzzed.found.append(repr(getattr(event, "value", None) or event))
    return fuzzed


def _spared(scopes: Collection[str]) -> list[str]:
    """Return the operations of which no edges are tried: those of other scopes, and those that are
    another one's view under a second address.
    """
    spared = ["updateUser", "updateTopicByPost", "putReply"]
    for one in operations():
        ways = one.definition.get("security", [])
        needed = {scope for way in ways for given in way.values() for scope in given}
        if needed.isdisjoint(scopes):
            spared.append(one.definition["operationId"])
    return spared


@contextmanager
def _hooks(there: There) -> Iterator[None]:
    used: set[str] = set()

    def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
        _make_true(case, there)
        _make_new(case, used)

    def filter_failure(context: Any, failure: Any, case: Any, response: Any) -> bool:
        return not (
            _is_let_pass(failure, case) or _is_empty_at_last(failure, str(response.request.url))
        )

    for hook in (before_call, filter_failure):
        schemathesis.hook(hook)
    try:
        yield
    finally:
        for hook in (before_call, filter_failure):
            schemathesis.hooks.unregister(hook)


def _make_true(case: Any, there: There) -> None:
    """Give a request that should be taken what no schema can say: what there is in the forum."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if "If-Match" in case.headers:
        case.headers["If-Match"] = "*"
    if "Prefer" in case.headers:
        # Bodies have fields that nobody described, too.
        case.headers["Prefer"] = "handling=lenient"
    _put_cursor(case)
    _make_searchable(case)
    _name_users(case)
    body = case.body
    if not isinstance(body, dict):
        return
    if case.media_type != "application/json":
        # Forms have no null; a field that is null is left out.
        for name in [name for name, value in body.items() if value is None]:
            del body[name]
    if "node_id" in body:
        body["node_id"] = there.node_id
    if "topic_id" in body:
        body["topic_id"] = there.topic_id
    if body.get("avatar"):
        body["avatar"] = there.photo
    if case.operation.path.startswith("/api/v3/users/") and "email" in body:
        # The present one: another needs the password.
        body["email"] = ""
        body.pop("password", None)
    if "file" in body:
        body["file"] = picture()
    _make_decidable(case.operation.definition.raw["operationId"], body)
    for name, value in body.items():
        is_text = isinstance(value, str) and (value or name in ("title", "body", "reason"))
        if is_text and is_blank(value):
            body[name] += "."
    text = body.get("body")
    if isinstance(text, str) and not any(map(str.isalnum, text)):
        body["body"] = f"{text}\n\nx"  # punctuation alone may be markup that shows nothing


def _name_users(case: Any) -> None:
    """Give the lists of moderators users who are there."""
    if case.operation.definition.raw["operationId"] in ("listLog", "listReviews"):
        for name in {"actor", "user"} & set(case.query):
            case.query[name] = "somebody"


def _make_decidable(operation_id: str, body: dict[str, Any]) -> None:
    """Leave out what does not fit the rest, which no schema can say."""
    unfit = {
        "markTopicRead": ("reply_id",),
        "silenceUser": ("days", "until"),
        "warnUser": ("topic_id", "reply_id"),
        "resolveReview": ("silence_days", "version"),
        "createAccessBlock": ("expires_at",),
    }
    for name in unfit.get(operation_id, ()):
        body.pop(name, None)
    if operation_id == "createAccessBlock":
        body.update({"kind": "email_domain", "value": "spam.example"})


def _make_searchable(case: Any) -> None:
    """Give a search a query, a user and dates that are right where a pattern cannot say it."""
    query, operation_id = case.query, case.operation.definition.raw["operationId"]
    if operation_id == "searchUsers" and is_blank(query["q"]):
        query["q"] += "."
    if operation_id not in ("searchTopics", "searchReplies"):
        return
    if not _is_query(str(query.get("q"))):
        query["q"] = "hello"
    if query.get("by"):
        query["by"] = "somebody"
    for name in ("since", "until"):
        if query.get(name) and not _is_date(str(query[name])):
            query[name] = "2026"


def _is_query(text: str) -> bool:
    try:
        asked = parse_query(text)
    except Invalid:
        return False
    return asked.by is None and asked.node is None


def _is_date(text: str) -> bool:
    try:
        parse_moment("since", text)
    except Invalid:
        return False
    return True


def _put_cursor(case: Any) -> None:
    """Put a place of the list where any text stands for one, and not two of them."""
    query = case.query
    if query and case.operation.definition.raw["operationId"] == "listTopicReplies":
        query.pop("around", None)  # no schema knows the ids of a topic's replies
    sent = [name for name in ("before", "after") if query and name in query]
    for name, another in zip(sent, (None, "before"), strict=False):
        query.pop(another, None)
        query[name] = _cursor(case.operation.definition.raw["operationId"], query)


def _cursor(operation: str, query: dict[str, Any]) -> str:
    is_own = query.get("relation") or query.get("unread") in ("true", "1", True, 1)
    name = {
        "listTopics": f"topics.{query.get('type') or 'last_actived'}",
        "listUserTopics": f"user_topics.{query.get('order') or 'recent'}",
        "listTopicReplies": "replies.newest" if query.get("order") == "newest" else "replies",
        "listUserReplies": "user_replies",
        "listNotificationGroups": "notification_groups",
        "listAccessBlocks": "access_blocks",
        "listHeldPosts": "held_posts",
        **dict.fromkeys(("listTopicVersions", "listReplyVersions"), "post_versions"),
        "listLikes": f"likes.{query.get('obj_type')}",
    }.get(operation, operation.removeprefix("list").lower())
    of_order = {"last_actived": 2, "popular": 3, "likes": 2, "replies": 2}
    if name == "topics.unread" or (operation == "listUserTopics" and is_own):
        name = "own_topics"
    # Lists in one order have no word after a full stop.
    of_list = {"drafts": 2, "notification_groups": 2, "own_topics": 2}
    columns = of_list.get(name) or of_order.get(name.partition(".")[2], 1)
    return str(Cursor(name, (2,) * columns))


def _make_new(case: Any, used: set[str]) -> None:
    """Give a request that should be taken another key than those before it."""
    name = "Idempotency-Key"
    if case.meta is None or name not in (case.headers or ()):
        return
    # In quotes or not, it is the same key.
    key = case.headers[name].strip('"')
    if key in used and case.meta.generation.mode.is_positive:
        key = case.headers[name] = f"key {len(used)}"
    used.add(key)


def _is_let_pass(failure: Any, case: Any) -> bool:
    """Tell whether an answer is right, though the check cannot know it."""
    kind, body = type(failure).__name__, case.body
    if not case.operation.path.startswith("/api/"):
        return True
    if kind == "JsonSchemaError" and case.operation.path.endswith("/openapi.yaml"):
        # Described as a text, as clients want it; the check reads the YAML first.
        return True
    if kind == "RejectedPositiveData" and case.operation.path.endswith("/closure"):
        return True  # no schema knows the password of the account
    if kind == "IgnoredAuth":
        # The check repeats a request without its token. A topic, reply or photo that is deleted, or
        # banned, by then or for others than admins, is 404 before anybody is asked who they are.
        can_be_hidden = re.search(r"{(topic|reply|photo)_id}", case.operation.path)
        return can_be_hidden is not None and "got `404" in failure.message
    if kind != "AcceptedNegativeData":
        return False
    if case.operation.label == "POST /api/v3/photos":
        # Any bytes are a file to the schema: what is "wrong" here is a picture that is right.
        return isinstance(body, dict) and body.get("file") == picture()
    return isinstance(body, dict) and _is_right_as_it_is_read(case)


def _is_empty_at_last(failure: Any, url: str) -> bool:
    """Tell whether a parameter came several times and was empty at last: that one counts, and an
    empty one is absent.
    """
    sent = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    last = dict(sent)
    repeated = {name for name, _ in sent if [one for one, _ in sent].count(name) > 1}
    is_accepted = type(failure).__name__ == "AcceptedNegativeData"
    return is_accepted and any(not last[name].strip() for name in repeated)


def _is_right_as_it_is_read(case: Any) -> bool:
    """Tell whether a body is right by the description's preface: null counts as absent, forms have
    words for a boolean, and a text is measured without the blanks around it.
    """
    body = {
        name: value.strip() if isinstance(value, str) else value
        for name, value in case.body.items()
        if value is not None
    }
    body.update({name: True for name in ("email_public", "force") if body.get(name) in _FLAGS})
    [operation] = [one for one in operations() if str(one) == case.operation.label]
    schema = resolvable(operation.forms[case.media_type])
    return bool(body != case.body and jsonschema_rs.validator_for(schema).is_valid(body))


def _note(fuzzed: Fuzzed, event: events.ScenarioFinished) -> None:
    recorder = event.recorder
    for interaction in recorder.interactions.values():
        fuzzed.cases[event.phase.value] += 1
        if interaction.response is not None:
            fuzzed.statuses[interaction.response.status_code] += 1
    for case_id, checks in recorder.checks.items():
        for check in checks:
            if check.status == Status.FAILURE and check.failure_info is not None:
                failure = check.failure_info.failure
                sent = recorder.interactions[case_id].request
                fuzzed.found.append(
                    f"{event.phase.value} {event.label} {check.name}: {failure.message[:400]} "
                    f"({sent.method} {sent.uri} {sent.body!r})"
                )
