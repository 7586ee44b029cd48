"""The OAuth 2 provider, built on oauthlib's grant types."""
