"""What the benchmark tells the settings of a peer, and settings that are the same in each."""

import os
from pathlib import Path
from urllib.parse import urlsplit

FOLDER = Path(os.environ["PEER_FOLDER"])
COMMUNITY = Path(os.environ["PEER_COMMUNITY"])
REDIS = f"redis://127.0.0.1:{os.environ['PEER_REDIS']}"
SECRET = "of-a-forum-that-lives-for-an-hour-" * 2
_URL = urlsplit(os.environ["PEER_DATABASE"])
DATABASE_URL = f"postgresql://{_URL.netloc}{_URL.path}"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": _URL.path.strip("/"),
        "USER": _URL.username,
        "HOST": _URL.hostname,
        "PORT": str(_URL.port),
    }
}
HOSTS = ["127.0.0.1"]
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
}
