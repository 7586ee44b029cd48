"""The HTML pages: the forum, accounts, OAuth consent, documentation."""

from pyramid.config import Configurator

from ..services.accounts import registration
from . import about, branding, colors, display, languages, page_context, paths
from .form_keys import saved_key
from .page import add_pages
from .public_cache import public_cache_deriver
from .static_files import asset_path
from .text_direction import direction_of
from .topics import actions, seen


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
                "dir": direction_of,
            },
            "jinja2.directories": "forumsvc.pages:templates",
            "jinja2.newstyle": True,
            "jinja2.i18n.domain": languages.DOMAIN,
            "jinja2.i18n.gettext": languages.CachedTexts,
            "jinja2.globals": {
                "is_registration_open": registration.is_open,
                "user_path": paths.user_path,
                "path_to_come_back": page_context.path_to_come_back,
                "asset_path": asset_path,
                "logo_path": branding.logo_path,
                "style_of": branding.style_of,
                "grounds": colors.GROUNDS,
                "saved_key": saved_key,
                "script_cookie_name": seen.script_cookie_name,
                **actions.TEMPLATE_VALUES,
                "display_of": display.display_of,
                "direction": languages.direction,
                "footer_html": about.footer_html,
            },
        }
    )
    config.include("pyramid_jinja2")
    config.add_view_deriver(public_cache_deriver, "public_cache", under="schema")
    # The routes are tried in their order: the logo before the other files of its folder, paths of
    # no page last.
    for name in ("csrf", "languages", "page_tween", "branding", "manifest", "static_files"):
        config.include(f".{name}")
    # The home page of a forum is its topics.
    is_forum = config.registry.forum_settings["pages.forum"]
    add_pages(config, ignore=".home" if is_forum else None)
    config.include(".unknown_path")
