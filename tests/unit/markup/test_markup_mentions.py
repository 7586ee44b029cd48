"""Which words are mentions."""

from collections.abc import Callable

from forumsvc.markup import RenderedText, linked_logins, mentions, postprocess
from forumsvc.markup.mention_links import mention_link, replace_mentions
from tests.cases import each

Parts = Callable[[str], list[str]]


@each(
    ("text", "logins"),
    [
        ("Ask @bob...", ["bob"]),
        ("@bob- or @bob-, (@ann)", ["bob", "bob", "ann"]),
        ("@a.b-c_d", ["a.b-c_d"]),
        ("@_ann_ and @__dunder__ @a__b__c", ["_ann_", "__dunder__", "a__b__c"]),
        ("_thanks @ann_, __and @bob__ (_see @a__b_)", ["ann", "bob", "a__b"]),
        ("_x_ @ann_ a_b @bob_ _ @carl_", ["ann_", "bob_", "carl_"]),
        ("**@bob** _@ann_ ~~@cy~~", ["bob", "ann", "cy"]),
        ("你好@bob你好", ["bob"]),
        ("@bob's, @ann/@cy", ["bob", "ann", "cy"]),
        ("# @bob\n\n- @ann\n\n> @cy\n\n| a |\n|---|\n| @dd |", ["bob", "ann", "cy", "dd"]),
        ("<b>@bob</b> &amp;@ann", ["bob", "ann"]),
        ("@" + "a" * 20, ["a" * 20]),
        ("@ann/@bob/@cy, @dd./@ee", ["ann", "bob", "cy", "dd", "ee"]),
        ("@ann/你看 @bob/", ["ann", "bob"]),
        ("<!-- @bob --> <script>@ann</script>", ["bob", "ann"]),
    ],
)
def test_a_login_in_the_text_is_a_mention(parts, text, logins):
    assert parts(text)[1::2] == logins


@each(
    "text",
    [
        *("@", "@a", "@.bob", "@" + "a" * 21, "a@login.org", "josé@login", "@bob@social.example"),
        *("https://social.example/@bob", "social.example/@bob", "[@bob](https://example.org)"),
        *("@bobé", "@bobß", "@bobн", "@bobe\u0301", "@bob²", "@bob١", "jose\u0301@bob"),
        *("`@bob`", "    @bob", "```\n@bob\n```", "```python\n@bob\ndef f(): ...\n```"),
        *(
            "<pre>@bob</pre>",
            "<kbd>@bob</kbd>",
        ),
        '<a href="https://example.org"><b>@bob</b></a>',
        *("@types/node", "npm i @babel/core@7", "@a-b/c.d", "@ann/2", "x/@ann/@bob"),
        '![@bob](https://example.org/i.png "@bob")',
        '<b title="@bob">x</b>',
    ],
)
def test_no_mention_in_code_links_addresses_or_what_is_not_shown(parts, text):
    assert parts("x\n\n" + text)[1::2] == []


def test_html_that_looks_like_a_mention_link_is_no_mention(parts):
    forged = '<a href="https://evil.example" class="user-mention">@admin</a>'
    assert parts(forged) == [
        '<p><a href="https://evil.example" rel="nofollow ugc noopener">@admin</a></p>'
    ]


def test_the_parts_with_their_logins_are_the_whole_html(parts):
    first, login, last = parts("Hello @bob & <b>all</b>")
    assert (first, login, last) == ("<p>Hello ", "bob", " &amp; <b>all</b></p>")


def test_a_bounded_number_of_mentions_and_post_numbers_become_links(parts):
    assert len(parts("@mal " * 5_000)[1::2]) == mentions.MAX_MENTIONS
    many = "#1 " * (postprocess.MAX_POST_NUMBERS + 9)
    assert parts(f"{many}\n\n{many}")[0].count("<a ") == postprocess.MAX_POST_NUMBERS


@each(
    ("text", "notified"),
    [
        ("> @ann said\n\n@bob", ["bob"]),
        ("@Ann\n\n> @ann\n> > @bob\n\n- > @cy", ["ann"]),
        ("> a @ann\n>\n> > b\n>\n> @bob\n\n@cy <blockquote>@dd", ["cy"]),
    ],
)
def test_a_mention_in_a_quotation_is_linked_and_notifies_nobody(parts, text, notified):
    rendered = RenderedText(tuple(parts(text)))
    linked = rendered.to_html({key.lower(): key for key in rendered.mentions}, "/{login}")
    assert rendered.notified == notified
    assert linked_logins(linked) == set(notified)
    assert linked.count("user-mention") == text.count("@")


def test_the_mentions_of_a_user_are_found_by_the_login_in_any_case():
    links = [mention_link(login, login, "/{login}") for login in ("Ann", "Anna")]
    replaced = replace_mentions("".join(links), "ann", "/{login}", lambda link: link.written)
    assert replaced == "Ann" + links[1]
