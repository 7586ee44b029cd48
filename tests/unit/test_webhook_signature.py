"""Webhooks are signed as Standard Webhooks says: its reference library verifies them."""

from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from forumsvc.services.webhooks import webhook_signature

SESSION_SECRET = "a secret of the session, long enough"
BODY = '{"type":"reply.created","data":{"text":"Grüße 你好"}}'.encode()


def _verify(secret: bytes, headers: dict[str, str], body: bytes = BODY) -> None:
    Webhook(webhook_signature.format_secret(secret)).verify(body, headers)


def _headers(secrets: list[bytes]) -> dict[str, str]:
    return webhook_signature.headers(secrets, "evt_7", datetime.now(UTC), BODY)


def test_the_reference_library_verifies_a_signature_and_refuses_another_body_or_secret():
    secret = webhook_signature.derive_secret(SESSION_SECRET, 7, 1)
    headers = _headers([secret])
    _verify(secret, headers)
    for wrong in (
        (secret, BODY + b" "),
        (webhook_signature.derive_secret(SESSION_SECRET, 8, 1), BODY),
    ):
        with pytest.raises(WebhookVerificationError):
            _verify(wrong[0], headers, wrong[1])


def test_a_rotated_secret_signs_beside_its_predecessor_for_a_day():
    now = datetime.now(UTC)
    old, new = (webhook_signature.derive_secret(SESSION_SECRET, 7, each) for each in (1, 2))

    def secrets(age: timedelta) -> list[bytes]:
        return webhook_signature.valid_secrets(SESSION_SECRET, 7, 2, now - age, now)

    assert secrets(timedelta(hours=23, minutes=59)) == [new, old]
    assert secrets(timedelta(hours=24)) == [new]
    assert webhook_signature.valid_secrets(SESSION_SECRET, 7, 1, None, now) == [old]
    for secret in (old, new):
        _verify(secret, _headers([new, old]))


def test_secrets_differ_by_webhook_generation_and_session_secret():
    given = [(SESSION_SECRET, 1, 1), (SESSION_SECRET, 1, 11), (SESSION_SECRET, 11, 1)]
    secrets = [webhook_signature.derive_secret(*each) for each in [*given, ("another", 1, 1)]]
    assert len({*secrets}) == 4
    assert {len(secret) for secret in secrets} == {32}
