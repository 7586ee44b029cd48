"""Askbot as its documents set it up in production: over the settings that its command makes."""

from askbot_site.settings import *  # noqa: F403

from benchmarks.peer_programs.inside.environment import (
    DATABASES,
    HOSTS,
    LOGGING,  # noqa: F401
    REDIS,
    SECRET,
)

# By this name of the engine it knows that it can search by PostgreSQL.
DATABASES["default"]["ENGINE"] = "django.db.backends.postgresql_psycopg2"
SECRET_KEY = SECRET
ALLOWED_HOSTS = HOSTS
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": f"{REDIS}/1",
        "KEY_PREFIX": "askbot",
        "TIMEOUT": 6000,
    }
}
# Off: how much comes from one address, and that a question is answered once by somebody.
RATELIMIT_ENABLE = False
ASKBOT_LIMIT_ONE_ANSWER_PER_USER = False
# Posts are shown whole, as in the other forums.
ASKBOT_MIN_WORDS_TO_WRAP_POSTS = 100_000
