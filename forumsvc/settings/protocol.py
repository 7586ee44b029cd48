"""The settings of HTTP and of the API: api, http, idempotency."""

from .setting import Setting
from .setting_types import BOOLEAN, ORIGINS, choice, integer

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
        "idempotency.ttl_seconds",
        integer(60, 10**9),
        "86400",
        "how long the response to a request with an Idempotency-Key is replayed",
    ),
)
