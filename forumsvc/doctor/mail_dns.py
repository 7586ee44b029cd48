"""What the DNS says of the sender of emails: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489)."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from ..diagnostics import Problem
from ..diagnostics.problem import info, warning
from .installation import Installation

_SECONDS = 5.0

Lookup = Callable[[str], list[str]]
"""Returns the TXT records of a name, none where there are none. Raises OSError offline."""


def check(installation: Installation) -> Iterator[Problem]:
    """Yield the records that are missing; nothing without `--dns` or where no email is sent."""
    settings = installation.settings
    if not installation.dns or settings["mail.delivery"] != "smtp":
        return
    domain = settings["mail.sender"].rpartition("@")[2]
    if "." not in domain:
        yield info(f"mail.sender: {domain} is no name of the DNS: its records are not examined.")
        return
    try:
        lookup = open_resolver()
        problems = [
            *_check_spf(domain, lookup),
            *_check_dmarc(domain, lookup),
            *_check_dkim(domain, installation.dkim_selector, lookup),
        ]
    except ModuleNotFoundError:
        yield info("--dns needs a library: pip install 'forumsvc[dns]'.")
    except OSError as failure:
        yield info(f"The DNS was not asked about {domain}: {failure}.")
    else:
        yield from problems


def open_resolver() -> Lookup:
    """Return a function that asks the name servers of this machine.

    Raises ModuleNotFoundError without dnspython.
    """
    # An optional library, so nothing of it is imported by name.
    resolver: Any = import_module("dns.resolver")
    failure = import_module("dns.exception").DNSException

    def lookup(name: str) -> list[str]:
        try:
            answer = resolver.resolve(name, "TXT", lifetime=_SECONDS)
        except (resolver.NXDOMAIN, resolver.NoAnswer):
            return []
        except failure as error:
            raise OSError(f"{type(error).__name__}: {error}") from None
        return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]

    return lookup


def _check_spf(domain: str, lookup: Lookup) -> Iterator[Problem]:
    records = [text for text in lookup(domain) if text.lower().split(" ")[0] == "v=spf1"]
    if len(records) != 1:
        yield warning(
            f"{domain} has {len(records)} SPF records, and one is needed: add a TXT record that "
            "names your mail server, such as `v=spf1 mx -all`, or emails are taken for spam."
        )
    elif {"+all", "all"} & set(records[0].lower().split()):
        yield warning(
            f"The SPF record of {domain} lets every machine send in its name: end it with -all."
        )


def _check_dmarc(domain: str, lookup: Lookup) -> Iterator[Problem]:
    # The record may be that of a parent; the name of a top-level domain has none.
    labels = domain.split(".")
    for first in range(len(labels) - 1):
        name = ".".join(["_dmarc", *labels[first:]])
        if any(text.replace(" ", "").upper().startswith("V=DMARC1") for text in lookup(name)):
            return
    yield warning(
        f"{domain} has no DMARC record: add a TXT record under _dmarc.{domain}, such as "
        "`v=DMARC1; p=none`, or large receivers refuse emails."
    )


def _check_dkim(domain: str, selector: str, lookup: Lookup) -> Iterator[Problem]:
    if not selector:
        yield info(
            "DKIM is not examined: --dkim-selector names the key of your mail server, the s= in "
            "the DKIM-Signature of an email."
        )
        return
    name = f"{selector}._domainkey.{domain}"
    if not any("p=" in text.replace(" ", "") for text in lookup(name)):
        yield warning(
            f"There is no DKIM key under {name}: publish that of your mail server, or correct "
            "--dkim-selector."
        )
