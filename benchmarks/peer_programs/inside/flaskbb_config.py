"""FlaskBB as its documents set it up in production."""

from flaskbb.configs.default import DefaultConfig

from benchmarks.peer_programs.inside.environment import DATABASE_URL, FOLDER, REDIS, SECRET

DEBUG = TESTING = False
SERVER_NAME = "127.0.0.1"
PREFERRED_URL_SCHEME = "http"
SQLALCHEMY_DATABASE_URI = DATABASE_URL
SECRET_KEY = WTF_CSRF_SECRET_KEY = SECRET
REDIS_ENABLED = True
REDIS_URL = CACHE_REDIS_URL = f"{REDIS}/0"
REDIS_DATABASE = 0
CELERY_CONFIG = {
    "broker_url": REDIS_URL,
    "result_backend": REDIS_URL,
    "broker_transport_options": {"max_retries": 1},
}
CACHE_TYPE = "RedisCache"
CACHE_DEFAULT_TIMEOUT = 60
# Off: logins from one address.
RATELIMIT_ENABLED = False
WHOOSHEE_DIR = str(FOLDER / "whoosh_index")
LOG_PATH = str(FOLDER)
LOG_DEFAULT_CONF = {
    **DefaultConfig.LOG_DEFAULT_CONF,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "loggers": {"flaskbb": {"handlers": ["console"], "level": "WARNING", "propagate": False}},
}
