"""The settings of the HTML pages."""

from .setting import Setting
from .setting_types import BOOLEAN, PATH, TEXT, URL, choice, matching

LANGUAGES = ("en", "zh")
"""The languages of the pages; `zh` is Chinese in simplified characters."""

PAGES: tuple[Setting, ...] = (
    Setting(
        "pages.forum",
        BOOLEAN,
        "true",
        "whether the forum has pages; false for a community with a front end of its own",
    ),
    Setting(
        "site.language",
        choice(*LANGUAGES),
        "en",
        "the language of the pages for readers whose browser names neither language",
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
        "pages.feed_ids",
        URL,
        "",
        "the address that the ids in feeds begin with, empty: site.url; where that changes, its "
        "former value, so that feed readers do not show everything once more",
    ),
)
