"""`accounts.confirm_email`: whether people confirm their email address before they write."""

import pytest

from forumsvc.services import email_confirmation
from forumsvc.settings import Settings, SettingsError
from tests.cases import each

REQUIRED = {
    "site.url": "https://forum.example",
    "sqlalchemy.url": "sqlite:///forum.sqlite",
    "session.secret": "x" * 32,
}


@each(
    ("delivery", "chosen", "is_required"),
    [
        *(("none", "auto", False), ("folder", "auto", True), ("none", "false", False)),
        *(("folder", "false", False), ("folder", "true", True)),
    ],
)
def test_addresses_are_confirmed_where_mail_is_sent_unless_it_says_otherwise(
    delivery: str, chosen: str, is_required: bool
) -> None:
    settings = Settings({**REQUIRED, "mail.delivery": delivery, "accounts.confirm_email": chosen})
    assert email_confirmation.is_required(settings) is is_required


def test_addresses_cannot_be_confirmed_without_mail() -> None:
    with pytest.raises(SettingsError, match=r"accounts.confirm_email: true needs mail"):
        Settings({**REQUIRED, "accounts.confirm_email": "true"})
