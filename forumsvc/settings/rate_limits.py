"""The settings of rate limits: rate_limit."""

from .setting import Setting
from .setting_types import RATE, STORAGE, or_off

RATE_LIMITS: tuple[Setting, ...] = (
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
        "how many of these calls may be POST, PUT, PATCH or DELETE",
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
        "how many of these may be POST, PUT, PATCH or DELETE",
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
        "rate_limit.reports",
        or_off(RATE),
        "20/day",
        "how often a user may report something to the moderators",
    ),
    Setting(
        "rate_limit.searches",
        or_off(RATE),
        "30/minute",
        "how often a user, or an IP address without a token, may search",
    ),
)
