"""The policy: scopes after ACLs, abilities from the same permissions; extracting tokens."""

from hypothesis import given
from hypothesis import strategies as st

from forumsvc.errors import Malformed
from forumsvc.permissions import READS, TOPIC_ABILITIES, Common, Scope, TopicPermission, scope_of
from forumsvc.security.credentials import access_token
from forumsvc.security.policy import MissingScope, SecurityPolicy, abilities, decide, granted
from forumsvc.security.principals import principals_of
from tests.cases import each
from tests.unit.resources import tree
from tests.unit.resources.tree import AUTHOR, identity

READER = identity("admin", AUTHOR, {Scope.READ})
WRITER = identity("admin", AUTHOR, {Scope.WRITE})


def test_a_token_without_a_scope_lacks_what_the_acl_grants() -> None:
    topic = tree.topic(READER)
    for caller, word, lacks in (
        (READER, TopicPermission.UPDATE, Scope.WRITE),
        (WRITER, Common.VIEW, Scope.READ),
    ):
        verdict = decide(caller, topic, word)
        assert isinstance(verdict, MissingScope)
        assert verdict.scope == lacks


def test_without_the_acls_grant_the_scope_does_not_matter() -> None:
    caller = identity("member", scopes={Scope.READ})
    verdict = decide(caller, tree.topic(caller), TopicPermission.BAN)
    assert not verdict
    assert not isinstance(verdict, MissingScope)


def test_public_reads_without_a_token_need_no_scope() -> None:
    assert decide(None, tree.topic(), Common.VIEW)


@each("caller", [None, READER, identity(None), identity("blocked", AUTHOR)])
def test_every_ability_is_false_without_the_write_scope(caller: object) -> None:
    told = abilities(caller, tree.topic(), TOPIC_ABILITIES)  # type: ignore[arg-type]
    assert told == dict.fromkeys(map(str, TOPIC_ABILITIES), False)


def test_abilities_are_what_the_policy_decides() -> None:
    for context in tree.every_context():
        for caller in (READER, WRITER, identity("member", AUTHOR), identity("maintainer")):
            told = abilities(caller, context, TOPIC_ABILITIES)
            assert told == {str(w): bool(decide(caller, context, w)) for w in TOPIC_ABILITIES}


def test_only_the_listed_permissions_are_reads() -> None:
    assert {word for word in (*Common, *TopicPermission) if scope_of(word) == Scope.READ} == (
        READS & {*Common, *TopicPermission}
    )


@given(st.sampled_from(["newbie", "member", "vip", "maintainer", "admin", "blocked", None]))
def test_a_higher_level_has_the_principals_of_a_lower_one(level: str | None) -> None:
    held = principals_of(identity(level, AUTHOR))
    assert principals_of(None) <= held <= principals_of(identity("admin", AUTHOR))


def test_the_policy_remembers_and_forgets_nothing() -> None:
    policy = SecurityPolicy()
    assert (policy.remember(None, 1), policy.forget(None)) == ([], [])


def test_granted_ignores_the_scope() -> None:
    assert granted(WRITER, tree.topic(), Common.VIEW)


NONE = st.sampled_from([None, "", "null", "undefined"])


@given(st.lists(NONE), NONE)
def test_values_that_mean_no_token_are_ignored(
    values: list[str | None], header: str | None
) -> None:
    assert access_token(values, header and f"Bearer {header}") is None


@given(st.lists(st.text()), st.none() | st.text())
def test_a_token_is_one_that_was_sent_or_two_are_refused(
    values: list[str], header: str | None
) -> None:
    try:
        token = access_token(values, header)
    except Malformed:
        assert len({*values, header}) > 1
        return
    assert token is None or token in values or token in (header or "")
