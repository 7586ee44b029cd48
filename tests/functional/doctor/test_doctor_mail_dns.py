"""`forumsvc doctor --dns`: what the DNS says of the sender of emails."""

from collections.abc import Callable
from typing import Any

import pytest

from forumsvc.doctor import mail_dns
from tests.databases import on_sqlite
from tests.functional.doctor.conftest import Examine, Examined
from tests.unit.mail.test_mail import smtp as smtp

pytestmark = on_sqlite

SPF = {"forum.example.org": ["other", "v=spf1 mx -all"]}
DMARC = {"_dmarc.example.org": ["v=DMARC1; p=none"]}
DKIM = {"k1._domainkey.forum.example.org": ["v=DKIM1; p=MII"]}

Look = Callable[..., Examined]


@pytest.fixture
def look(examine: Examine, smtp: Any, monkeypatch: pytest.MonkeyPatch) -> Look:
    """A function: examine the sender, with these records in the DNS and words of the command."""
    mail = {"mail__delivery": "smtp", "mail__host": "127.0.0.1", "mail__port": smtp[1]}
    sender = {"site__url": "http://127.0.0.1:1", "mail__sender": "forum@forum.example.org"}

    def run(*words: str, **records: list[str]) -> Examined:
        monkeypatch.setattr(mail_dns, "open_resolver", lambda: lambda name: records.get(name, []))
        return examine("--dns", *words, **mail, **sender)

    return run


def of_mail(examined: Examined) -> list[str]:
    """Return the findings about mail, with their levels."""
    return [f"{level}: {text}" for level, area, text in examined.findings if area == "mail"]


def test_a_sender_with_all_records_has_no_finding(look: Look) -> None:
    assert of_mail(look("--dkim-selector", "k1", **SPF, **DMARC, **DKIM)) == []


def test_each_record_that_is_missing_is_a_warning(look: Look) -> None:
    found = of_mail(look("--dkim-selector", "k2", **DKIM))
    assert [line.partition(":")[0] for line in found] == ["warning"] * 3
    assert "forum.example.org has 0 SPF records" in found[0]
    assert "has no DMARC record" in found[1]
    assert "no DKIM key under k2._domainkey.forum.example.org" in found[2]


def test_two_records_of_spf_and_one_that_allows_everybody_are_warnings(look: Look) -> None:
    name = "forum.example.org"
    for texts, message in ((["v=spf1 -all"] * 2, "has 2 SPF"), (["v=spf1 +all"], "every machine")):
        [first, last] = of_mail(look(**{name: texts}, **DMARC))
        assert message in first
        assert last.startswith("info: DKIM is not examined")


def test_a_dns_that_is_away_and_a_missing_library_are_worth_knowing(
    look: Look, examine: Examine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str) -> list[str]:
        raise OSError("LifetimeTimeout: no name server answers")

    def missing() -> Any:
        raise ModuleNotFoundError(name="dns")

    for resolver, message in ((lambda: fail, "LifetimeTimeout"), (missing, "forumsvc[dns]")):
        look()
        settings = {"mail__delivery": "smtp", "mail__sender": "forum@example.org"}
        monkeypatch.setattr(mail_dns, "open_resolver", resolver)
        examined = examine("--dns", **settings, site__url="http://127.0.0.1:1")
        [line] = [one for one in of_mail(examined) if message in one]
        assert line.startswith("info: ")


def test_without_the_option_or_without_mail_the_dns_is_not_asked(
    examine: Examine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_dns, "open_resolver", lambda: pytest.fail("asked"))
    assert of_mail(examine()) == []
    assert of_mail(examine("--dns")) == []
