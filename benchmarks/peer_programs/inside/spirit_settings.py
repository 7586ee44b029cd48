"""Spirit as its documents set it up in production: over `prod.py` of the project it makes."""

from mysite.settings.prod import *  # noqa: F403
from mysite.settings.prod import CACHES, HUEY, INSTALLED_APPS

from benchmarks.peer_programs.inside.environment import (
    DATABASES,  # noqa: F401
    HOSTS,
    LOGGING,  # noqa: F401
    REDIS,
    SECRET,
)

SECRET_KEY = SECRET
ALLOWED_HOSTS = HOSTS
ST_SITE_URL = "http://127.0.0.1/"
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
CACHES["default"] = {
    "BACKEND": "django.core.cache.backends.redis.RedisCache",
    "LOCATION": f"{REDIS}/1",
}
INSTALLED_APPS = [*INSTALLED_APPS, "huey.contrib.djhuey"]
ST_TASK_MANAGER = "huey"
HUEY["connection"] = {"url": f"{REDIS}/0"}
# Off: a member may comment once in ten seconds, and the same once in half an hour.
ST_RATELIMIT_ENABLE = False
ST_DOUBLE_POST_THRESHOLD_MINUTES = 0
