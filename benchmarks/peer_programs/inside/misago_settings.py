"""Misago as its documents set it up in production, over the settings in its package."""

from devproject.settings import *  # noqa: F403
from devproject.settings import MIDDLEWARE as _DEVELOPMENT
from misago.conf.defaults import MISAGO_POSTING_MIDDLEWARES as _MIDDLEWARES

from benchmarks.peer_programs.inside.environment import (
    DATABASES,  # noqa: F401
    FOLDER,
    HOSTS,
    LOGGING,  # noqa: F401
    REDIS,
    SECRET,
)

SECRET_KEY = SECRET
DEBUG = False
ALLOWED_HOSTS = HOSTS
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": f"{REDIS}/1",
    }
}
SESSION_ENGINE = "django.contrib.sessions.backends.cache"
CELERY_BROKER_URL = f"{REDIS}/0"
STATIC_ROOT = str(FOLDER / "static")
MEDIA_ROOT = str(FOLDER / "media")
STATICFILES_STORAGE = "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
ROOT_URLCONF = "devproject.urls"
# As in its container, which has no response times and queries in the pages.
MIDDLEWARE = [one for one in _DEVELOPMENT if not one.startswith(("debug_toolbar.", "devproject."))]
# Off: a member may post once in three seconds.
MISAGO_POSTING_MIDDLEWARES = [one for one in _MIDDLEWARES if "FloodProtection" not in one]
