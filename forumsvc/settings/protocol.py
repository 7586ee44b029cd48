"""The settings of HTTP and of the API: api, http, rate_limit, idempotency."""

from .setting import Setting
from .setting_types import BOOLEAN, ORIGINS, RATE, STORAGE, choice, integer, or_off

PROTOCOL: tuple[Setting, ...] = (
    Setting("api.envelope", choice("bare", "keyed"), "bare", "the shape of the API's responses"),
    Setting(
        "http.max_body",
        integer(1024, 1024**3, "bytes"),
        "12000000",
        "the largest request body, in bytes, which only files need; keep it below waitress's "
        "max_request_body_size",
    ),
    Setting("http.cors_origins", ORIGINS, "", "the origins whose scripts may call the API"),
    Setting(
        "http.gzip",
        BOOLEAN,
        "true",
        "whether large responses are compressed where clients accept it; a proxy may do it",
    ),
    Setting(
        "rate_limit.requests",
        or_off(RATE),
        "off",
        "how often a user, by all applications together, or an IP address without a token, may "
        "call the API",
    ),
    Setting(
        "rate_limit.writes",
        or_off(RATE),
        "off",
        "how many of these calls may be POST, PUT or DELETE",
    ),
    Setting(
        "rate_limit.application_requests",
        or_off(RATE),
        "off",
        "how many of a user's calls may come by one application",
    ),
    Setting(
        "rate_limit.application_writes",
        or_off(RATE),
        "off",
        "how many of these may be POST, PUT or DELETE",
    ),
    Setting(
        "rate_limit.token",
        or_off(RATE),
        "off",
        "how often a client may call /oauth/token from one IP address",
    ),
    Setting(
        "rate_limit.storage",
        STORAGE,
        "memory://",
        "where calls are counted: in each process for itself, or in a Redis for all processes",
        secret=True,
    ),
    Setting(
        "idempotency.ttl_seconds",
        integer(60, 10**9),
        "86400",
        "how long the response to a request with an Idempotency-Key is replayed",
    ),
)
