"""The normal forms of blocked networks, email addresses and domains."""

import pytest

from forumsvc.errors import Invalid
from forumsvc.models import AccessBlockKind
from forumsvc.services.access.values import (
    domain_and_parents,
    normal_email,
    normalize,
)
from tests.cases import each


@each(
    ("value", "normal"),
    [
        (" 192.0.2.7 ", "192.0.2.7/32"),
        ("192.0.2.7/24", "192.0.2.0/24"),
        ("192.0.2.0/255.255.255.0", "192.0.2.0/24"),
        ("2001:DB8::1", "2001:db8::/64"),
        ("2001:db8::/48", "2001:db8::/48"),
        ("::ffff:192.0.2.0/120", "192.0.2.0/24"),
        ("10.0.0.0/8", "10.0.0.0/8"),
        ("2000::/16", "2000::/16"),
    ],
)
def test_a_network_is_stored_as_a_cidr_of_ipv6_at_least_a_64(value, normal):
    assert normalize(AccessBlockKind.ADDRESS, value) == normal


@each(
    "value",
    [
        *("", "x", "192.0.2", "1", "192.0.2.0/33", "192.0.2.1%1", "::/8", "0.0.0.0/0"),
        *("::1", "::/16", "127.0.0.0/8", "::ffff:0:0/90"),
    ],
)
def test_what_is_no_network_or_too_wide_or_the_machine_itself_is_refused(value):
    with pytest.raises(Invalid) as refused:
        normalize(AccessBlockKind.ADDRESS, value)
    assert refused.value.field == "value"


@each(
    ("email", "normal"),
    [
        ("Ann@Example.ORG", "ann@example.org"),
        ("a.n.n+x+y@gmail.com", "ann@gmail.com"),
        ("ann@googlemail.com", "ann@gmail.com"),
        ("a.nn+x@outlook.com", "a.nn@outlook.com"),
        ("a.nn+x@example.org", "a.nn+x@example.org"),
        ("+x@gmail.com", "+x@gmail.com"),
        ("ann@B\u00dcCHER.example", "ann@xn--bcher-kva.example"),
        ("ann@example.org(x)", None),
        ('"ann"@example.org', None),
        ("ann@[203.0.113.9]", None),
        ("ann@localhost", None),
        ("ann@" + "a" * 64 + ".org", None),
    ],
)
def test_variants_of_an_email_address_are_one(email, normal):
    assert normal_email(email) == normal


def test_a_domain_stands_for_its_subdomains_but_no_top_level_does():
    assert domain_and_parents("a.b.example.org") == [
        "a.b.example.org",
        "b.example.org",
        "example.org",
    ]
    with pytest.raises(Invalid):
        normalize(AccessBlockKind.EMAIL_DOMAIN, "org")
