"""Linking the mentions of a rendered text."""

from collections.abc import Callable

from forumsvc.markup import RENDERER_VERSION, RenderedText
from tests.cases import each

Parts = Callable[[str], list[str]]

USER_URL = "https://forum.example/people/{login}?from=a&b"


def test_mentions_are_unique_whatever_their_case_in_order_of_appearance():
    draft = RenderedText(("<p>", "Bob", " ", "ann", " ", "bOB", "</p>"))
    assert draft.mentions == ["Bob", "ann"]


def test_existing_users_are_linked_as_they_spell_themselves_and_others_stay_text():
    draft = RenderedText(("<p>", "BOB", ", ", "nobody", "</p>"))
    assert draft.to_html({"bob": "Bob"}, USER_URL) == (
        '<p><a href="https://forum.example/people/Bob?from=a&amp;b" class="user-mention">@Bob</a>'
        ", @nobody</p>"
    )


def test_escaped_text_has_a_version_that_is_never_up_to_date():
    assert RenderedText(("<p>x</p>",)).version == RENDERER_VERSION
    assert RenderedText(("<p>x</p>",), fallback="busy").version < RENDERER_VERSION


def test_a_login_is_quoted_in_the_address_and_escaped_in_the_text():
    draft = RenderedText(("<p>", 'a/"<B>', "</p>"))
    linked = draft.to_html({'a/"<b>': 'a/"<b>'}, "/{login}")
    assert linked == (
        '<p><a href="/a%2F%22%3Cb%3E" class="user-mention">@a/&quot;&lt;b&gt;</a></p>'
    )


@each(
    ("text", "is_empty"),
    [
        *(
            (text, True)
            for text in ("&nbsp;", "<b></b>", ">", "&#8203;", "#", "\u200b\u2060", "```")
        ),
        *((text, True) for text in ("[](/a)", "> <i> </i>\n>\n> &#12644;", "<details></details>")),
        *(
            (text, False)
            for text in ("<!-- -->", "[a]: b", "![](/a)", "---", "- [ ] ", "1.", "\u0301")
        ),
        *((text, False) for text in ("<none>", "😀", ".", "`a`", "<hr>", "@bob", "#1")),
    ],
)
def test_a_text_is_empty_that_shows_nothing(parts, text, is_empty):
    assert RenderedText(tuple(parts(text))).is_empty is is_empty
