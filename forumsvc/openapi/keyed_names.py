"""The names of the keyed shape, for the envelope and for the description."""

API = "/api/v3/"
"""How the paths begin whose answers have two shapes."""

CREATED = 200
"""The status of a creation."""

ERROR_KINDS = {
    400: "ParameterInvalid",
    401: "Unauthorized",
    403: "AccessDenied",
    404: "ResourceNotFound",
    405: "MethodNotAllowed",
    412: "PreconditionFailed",
    413: "PayloadTooLarge",
    415: "UnsupportedMediaType",
    422: "ParameterInvalid",
    429: "TooManyRequests",
    500: "ServerError",
    503: "Unavailable",
}
GRADES = ("normal", "excellent", "ban")
ALIASES = {"github": "codehost", "twitter": "microblog"}
"""Fields of a full user that also have an older name: older -> current."""

SHAPE = """**The shape.** Each resource is under its name, with `meta` next to it
(`{"topic": {…}, "meta": {…}}`), and so is each list (`{"topics": […]}`); a creation returns
200; an error is `{"error": "kind", "message": "what is wrong"}`. The operator chose this shape
with `api.envelope = keyed`.
"""
"""What the description says of the shape."""

_LIST_NAMES = {"favorites": "topics", "likes": "ids", "muted_nodes": "nodes"}


def error_kind(status: int) -> str:
    """Return the value of `error` for this status."""
    return ERROR_KINDS.get(status, "ServerError" if status >= 500 else "ParameterInvalid")


def list_name(path: str) -> str:
    """Return the key of the list that a path returns."""
    last = path.rpartition("/")[2]
    return _LIST_NAMES.get(last, last)
