"""The settings of the site and its pages: site, pages, docs."""

from ..text.languages import LANGUAGES
from .setting import Setting
from .setting_types import BOOLEAN, NON_EMPTY, PATH, TEXT, URL, choice, matching

SITE: tuple[Setting, ...] = (
    Setting(
        "site.environment",
        choice("development", "production"),
        "production",
        "production refuses development's secret and needs site.url",
    ),
    Setting("site.name", NON_EMPTY, "Forum", "the community's name, on the pages"),
    Setting(
        "site.url",
        URL,
        "",
        "the URL under which clients reach the service; may be empty in development",
    ),
    Setting(
        "site.user_url",
        matching(r"\S*\{login\}\S*", "an address with {login} in it"),
        "/{login}",
        "the link of a mention; {login} is replaced",
    ),
    Setting(
        "site.language",
        choice(*LANGUAGES),
        "en",
        "the language of the pages for readers whose browser names none of these",
    ),
    Setting("site.tagline", TEXT, "", "a sentence that says what the community is"),
    Setting(
        "site.logo", PATH, "", "the path of a .png, .svg or .webp file: a picture beside the name"
    ),
    Setting(
        "site.accent",
        matching("(#[0-9a-fA-F]{6})?", "a color such as #0a6a5c, or nothing"),
        "",
        "the color of links and buttons; it is made darker or lighter where it could not be read",
    ),
    Setting("site.about", PATH, "", "the path of a Markdown file: the text of the page About"),
    Setting(
        "site.rules", PATH, "", "the path of a Markdown file: the page Rules; empty: no such page"
    ),
    Setting(
        "site.privacy",
        PATH,
        "",
        "the path of a Markdown file: the page Privacy; empty: what the service keeps, in general",
    ),
    Setting("site.footer", TEXT, "", "a line of Markdown at the end of every page"),
    Setting(
        "pages.forum",
        BOOLEAN,
        "true",
        "whether the forum has pages; false for a community with a front end of its own",
    ),
    Setting(
        "pages.feed_ids",
        URL,
        "",
        "the address that the ids in feeds begin with, empty: site.url; where that changes, its "
        "former value, so that feed readers do not show everything once more",
    ),
    Setting("docs.enabled", BOOLEAN, "true", "whether /docs has the explorer and the guide"),
)
