"""Random secrets (tokens, codes, client secrets, session cookies), stored only as hashes."""

import hashlib
import secrets


def new_secret() -> str:
    """Return 256 random bits as 43 url-safe characters."""
    return secrets.token_urlsafe(32)


def hash_token(secret: str) -> str:
    """Return the SHA-256 of a secret in hexadecimal, the only form that is stored.

    No salt and no slow hash are needed: the secrets have 256 random bits, and those that
    an administrator brings are long (`clients.MIN_SECRET`).
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
