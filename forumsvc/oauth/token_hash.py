"""Secrets that are given out: random, and kept as their SHA-256 alone."""

import hashlib
import secrets


def new_secret() -> str:
    """Return 256 random bits as 43 url-safe characters."""
    return secrets.token_urlsafe(32)


def hash_token(secret: str) -> str:
    """Return a secret's SHA-256 in hexadecimal: the only form that is stored.

    A plain hash suffices: what is hashed has 256 random bits.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
