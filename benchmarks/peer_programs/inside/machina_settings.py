"""A project with django-machina, as its documents set it up."""

from machina import MACHINA_MAIN_STATIC_DIR, MACHINA_MAIN_TEMPLATE_DIR

from benchmarks.peer_programs.inside.environment import (
    DATABASES,  # noqa: F401
    FOLDER,
    HOSTS,
    LOGGING,  # noqa: F401
    SECRET,
)

_CONTRIB = ("auth", "contenttypes", "sessions", "sites", "messages", "staticfiles", "admin")
_CONVERSATION = "machina.apps.forum_conversation"
_APPS = ("feeds", "moderation", "search", "tracking", "member", "permission")
INSTALLED_APPS = [
    *(f"django.contrib.{name}" for name in _CONTRIB),
    *("mptt", "haystack", "widget_tweaks", "machina", "machina.apps.forum", _CONVERSATION),
    *(f"{_CONVERSATION}.forum_attachments", f"{_CONVERSATION}.forum_polls"),
    *(f"machina.apps.forum_{name}" for name in _APPS),
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "machina.apps.forum_permission.middleware.ForumPermissionMiddleware",
]
_PROCESSORS = ("debug", "i18n", "media", "static", "request")
_LOADERS = ("filesystem", "app_directories")
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [FOLDER / "templates", MACHINA_MAIN_TEMPLATE_DIR],
        "OPTIONS": {
            "context_processors": [
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                *(f"django.template.context_processors.{name}" for name in _PROCESSORS),
                "machina.core.context_processors.metadata",
            ],
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [f"django.template.loaders.{name}.Loader" for name in _LOADERS],
                )
            ],
        },
    }
]
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "machina_attachments": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": FOLDER / "attachments",
    },
}
HAYSTACK_CONNECTIONS = {
    "default": {
        "ENGINE": "haystack.backends.whoosh_backend.WhooshEngine",
        "PATH": str(FOLDER / "whoosh_index"),
    }
}
ROOT_URLCONF = "benchmarks.peer_programs.inside.machina_urls"
SECRET_KEY = SECRET
DEBUG = False
ALLOWED_HOSTS = HOSTS
SITE_ID = 1
USE_TZ = True
STATIC_URL, STATIC_ROOT = "/static/", FOLDER / "static"
STATICFILES_DIRS = [MACHINA_MAIN_STATIC_DIR]
MEDIA_URL, MEDIA_ROOT = "/media/", FOLDER / "media"
LOGIN_REDIRECT_URL = "/"
MACHINA_TOPIC_POSTS_NUMBER_PER_PAGE = 21
MACHINA_DEFAULT_AUTHENTICATED_USER_FORUM_PERMISSIONS = [
    "can_see_forum",
    "can_read_forum",
    "can_start_new_topics",
    "can_reply_to_topics",
    "can_edit_own_posts",
    "can_post_without_approval",
]
