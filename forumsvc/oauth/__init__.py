"""The OAuth 2 provider: a slice of its own, on oauthlib's grants."""
