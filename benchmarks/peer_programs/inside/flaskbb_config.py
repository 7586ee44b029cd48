"""FlaskBB as its container sets it up in production."""

from benchmarks.peer_programs.inside.environment import DATABASE_URL, FOLDER, HOSTS, REDIS, SECRET

DEBUG = TESTING = False
TRUSTED_HOSTS = HOSTS
PREFERRED_URL_SCHEME = "http"
SQLALCHEMY_DATABASE_URI = DATABASE_URL.replace("postgresql:", "postgresql+psycopg2:", 1)
SECRET_KEY = WTF_CSRF_SECRET_KEY = SECRET
SEARCH_BACKEND = "postgresql"
REDIS_URL = CACHE_REDIS_URL = f"{REDIS}/0"
CELERY_CONFIG = {
    "broker_url": REDIS_URL,
    "result_backend": REDIS_URL,
    "broker_transport_options": {"max_retries": 1},
}
CACHE_TYPE = "RedisCache"
CACHE_DEFAULT_TIMEOUT = 60
# Off: logins from one address.
RATELIMIT_ENABLED = False
AVATAR_UPLOAD_PATH = str(FOLDER / "avatars")
ATTACHMENT_UPLOAD_PATH = str(FOLDER / "attachments")
LOG_DEFAULT_CONF = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "loggers": {"flaskbb": {"handlers": ["console"], "level": "WARNING", "propagate": False}},
}
