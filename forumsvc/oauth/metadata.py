"""Authorization server metadata (RFC 8414)."""

from typing import Any

from . import clients

_WITH_SECRET = ["client_secret_basic", "client_secret_post"]


def authorization_server_metadata(issuer: str) -> dict[str, Any]:
    """Return the metadata. issuer: the base URL of the endpoints."""
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/oauth/authorize",
        "token_endpoint": f"{issuer}/oauth/token",
        "revocation_endpoint": f"{issuer}/oauth/revoke",
        "introspection_endpoint": f"{issuer}/oauth/introspect",
        "scopes_supported": list(clients.SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": list(clients.GRANTS),
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": [*_WITH_SECRET, "none"],
        "revocation_endpoint_auth_methods_supported": [*_WITH_SECRET, "none"],
        "introspection_endpoint_auth_methods_supported": _WITH_SECRET,
        "authorization_response_iss_parameter_supported": True,
    }
