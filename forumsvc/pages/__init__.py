"""The HTML pages: the forum, accounts, OAuth consent, documentation."""

from pyramid.config import Configurator

from ..services import registration
from . import about, display, languages, paths
from .form_keys import saved_key
from .public_cache import public_cache_deriver
from .static_files import asset_path
from .topics import actions

_TOPICS = ("show", "lists", "reply_places", "pictures", "write", "actions", "undo", "likes")
_ACCOUNTS = (
    *("account.login", "account.signup", "account.change_password", "account.reset_password"),
    "account.stale_forms",
    *("account.email", "oauth.consent", "oauth.applications"),
)
_MODERATION = ("queue", "review", "log", "member", "report", "held_post")
_FORUM = (
    *("search.show", "notifications.show"),
    *(f"moderation.{name}" for name in _MODERATION),
    *("account.settings", "account.data", "account.closure", "account.photos"),
    *("account.sessions", "account.blocked", "account.notifications", "account.display", "about"),
    *("feeds.topics", "crawlers.robots", "crawlers.sitemap"),
    *("users.show", "users.actions"),
)


def includeme(config: Configurator) -> None:
    """Register the templates, the static files, the CSRF check and the pages."""
    config.add_settings(
        {
            "jinja2.undefined": "strict",
            "jinja2.trim_blocks": True,
            "jinja2.lstrip_blocks": True,
            "jinja2.filters": {
                "day": languages.day,
                "translated": languages.translated,
                "sentence": languages.sentence,
            },
            "jinja2.directories": "forumsvc.pages:templates",
            "jinja2.newstyle": True,
            "jinja2.i18n.domain": languages.DOMAIN,
            "jinja2.i18n.gettext": languages.CachedTexts,
            "jinja2.globals": {
                "is_registration_open": registration.is_open,
                "user_path": paths.user_path,
                "asset_path": asset_path,
                "saved_key": saved_key,
                **actions.TEMPLATE_VALUES,
                "display_of": display.display_of,
                "direction": languages.direction,
                "footer_html": about.footer_html,
            },
        }
    )
    config.include("pyramid_jinja2")
    settings = config.registry.forum_settings
    config.add_view_deriver(public_cache_deriver, "public_cache", under="schema")
    names = ["csrf", "languages", "branding", "page_tween", *_ACCOUNTS, "static_files"]
    if settings["docs.enabled"]:
        names += ["docs.explorer", "docs.guide"]
    # The routes are tried in their order. Topics are asked for most; the path of a user's page is
    # any word that no other page has.
    if settings["pages.forum"]:
        names = [*(f"topics.{name}" for name in _TOPICS), *names, *_FORUM]
    else:
        names.append("home")
    for name in (*names, "unknown_path"):
        config.include(f".{name}")
