"""Signing webhooks, as Standard Webhooks 1.0.0 says (https://www.standardwebhooks.com).

The secret of a webhook is derived from `session.secret`, the webhook's id and its generation, and
is stored nowhere. Whoever changes `session.secret` changes the secrets of all webhooks.
"""

import hmac
from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

OVERLAP = timedelta(hours=24)
"""How long the former secret signs beside the new one after a rotation."""


def derive_secret(session_secret: str, webhook_id: int, generation: int) -> bytes:
    """Return the 32 bytes of a webhook's secret. generation: rises with each rotation, from 1."""
    message = f"webhook\0{webhook_id}\0{generation}"
    return hmac.new(session_secret.encode(), message.encode(), sha256).digest()


def format_secret(secret: bytes) -> str:
    """Return a secret as receivers configure it."""
    return f"whsec_{b64encode(secret).decode()}"


def valid_secrets(
    session_secret: str,
    webhook_id: int,
    generation: int,
    rotated_at: datetime | None,
    now: datetime,
) -> list[bytes]:
    """Return the secrets that sign now, the newest first: two for a day after a rotation."""
    overlaps = rotated_at is not None and now < rotated_at + OVERLAP
    generations = [generation, generation - 1] if overlaps else [generation]
    return [derive_secret(session_secret, webhook_id, generation) for generation in generations]


def headers(
    secrets: Sequence[bytes], message_id: str, sent_at: datetime, body: bytes
) -> dict[str, str]:
    """Return the headers of a message: its id, its time, and a signature by each secret.

    message_id: the same in each attempt; sent_at: of this attempt.
    """
    timestamp = str(int(sent_at.timestamp()))
    signed = b".".join((message_id.encode(), timestamp.encode(), body))
    signatures = (hmac.new(secret, signed, sha256).digest() for secret in secrets)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{b64encode(one).decode()}" for one in signatures),
    }
