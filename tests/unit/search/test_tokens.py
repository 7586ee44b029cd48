"""The tokens of texts and of queries."""

import unicodedata

from forumsvc.search.normal_form import normalize, normalize_with_offsets
from forumsvc.search.tokens import MAX_TEXT, MAX_TOKEN, Term, as_prefix, terms, tokens
from tests.cases import each


@each(
    ("text", "normal"),
    [
        ("Café", "cafe"),
        ("Łódź Cœlacanthe Ærø Đorđe Diyarbakır", "lodz coelacanthe aero dorde diyarbakir"),
        ("ＣＡＦＥ１", "cafe1"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("が", "が"),
        ("ｶﾞ", "ガ"),
        ("soft\u00adhyphen\u200b", "softhyphen"),
        ("الكِتَاب مُحَمَّد", "الكتاب محمد"),
        ("\ufedf\ufee0\ufcf2\ufeae\ufe8f", "للرب"),
        ("كتـــاب", "كتاب"),
        ("أحمد إحمد آحمد ٱحمد ا\u064e\u0654حمد", "احمد احمد احمد احمد احمد"),
        ("مسؤول رئيس", "مسؤول رئيس"),
        ("مدرسة \u06c3", "مدرسه ه"),
        ("مستشفى على", "مستشفي علي"),
        ("کتابی \u06cc\u06a9", "كتابي يك"),
        ("خانۀ ہم", "خانه هم"),
        ("٢٠٢٦ ۱۴۰۵ v٣.١١", "2026 1405 v3.11"),
        ("و\u064f\u0654", "ؤ"),
        ("שָׁלוֹם בְּרֵאשִׁית \ufb2a", "שלום בראשית ש"),
        ("か\u0640\u3099", "が"),
    ],
)
def test_texts_are_compared_without_case_width_and_latin_accents(text, normal):
    assert normalize(text) == normal
    assert normalize(normal) == normal


def test_every_invisible_character_is_removed():
    invisible = [chr(at) for at in range(0x110000) if unicodedata.category(chr(at)) == "Cf"]
    assert [hex(ord(one)) for one in invisible if normalize(f"a{one}b") != "ab"] == []


@each(
    "text",
    ["Straße ﬁne Ế ｶﾞ x", "plain", "中文，ＡＢ", "e\u0301e", "مُحَمَّد أ", "שָׁלוֹם", "e\u0640\u0301"],
)
def test_each_character_of_the_normal_form_has_its_place_in_the_text(text):
    normal, offsets = normalize_with_offsets(text)
    assert normal == normalize(text)
    assert len(offsets) == len(normal) + 1
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)
    for at, character in enumerate(normal):
        assert character in normalize(text[offsets[at] : offsets[at] + 2])


@each(
    ("text", "found"),
    [
        ("中文搜索", ["中文", "文搜", "搜索", "索"]),
        ("東京・タワー", ["東京", "京", "タワ", "ワー", "ー"]),
        ("한국어 검색", ["한국", "국어", "어", "검색", "색"]),
        ("x中文y", ["x", "中文", "文", "y"]),
        ("node.js", ["node.js", "node", "js"]),
        ("snake_case __init__", ["snake_case", "snake", "case", "__init__", "init"]),
        ("don't O’Neill", ["dont", "don", "oneill", "neill"]),
        ("www.example.org", ["www.example", "example.org", "www", "example", "org"]),
        ("v7.8rc1", ["v7.8rc1", "7.8", "v7", "8rc1"]),
        ("self.__init__.py", ["self.__init", "init__.py", "__init__", "self", "init", "py"]),
        ("objective-c++", ["objective-c++", "objective", "c++", "objective-c", "c"]),
        ("C++11 and C#", ["c++", "c", "11", "and", "c#"]),
        ("!?… ___ 🎉", []),
    ],
)
def test_texts_have_these_tokens(text, found):
    assert tokens(text) == found


def test_long_words_are_cut_in_texts_and_queries_alike():
    assert tokens("a" * 100) == ["a" * MAX_TOKEN]
    assert terms("a" * 100) == [Term(("a" * MAX_TOKEN,))]


@each(
    ("text", "asked"),
    [
        ("中文搜索", [Term(("中文", "文搜", "搜索"))]),
        ("猫", [Term(("猫",), is_prefix=True)]),
        ("node.js rocks", [Term(("node.js",)), Term(("rocks",))]),
        ("www.example.org", [Term(("www.example", "example.org"))]),
        ("v7.8.9 v7 v2.example", [Term(("7.8", "8.9")), Term(("v7",)), Term(("v2.example",))]),
        ("Django's __init__", [Term(("djangos",)), Term(("__init__",))]),
        ("C++", [Term(("c++",))]),
        ("猫猫猫", [Term(("猫猫",))]),
    ],
)
def test_a_query_asks_for_whole_words_and_all_pairs(text, asked):
    assert terms(text) == asked


def test_a_word_is_a_beginning_from_three_letters_on():
    assert as_prefix(Term(("deploy",))) == Term(("deploy",), is_prefix=True)
    assert as_prefix(Term(("da",))) == Term(("da",))
    assert as_prefix(Term(("中文", "文搜"))) == Term(("中文", "文搜"))
    assert as_prefix(Term(("a.b", "b.org"))) == Term(("a.b", "b.org"), is_prefix=True)


@each(
    "text",
    [
        "".join(f"{chr(0xFDF2 + at % 7) * 4}{chr(0x4E00 + at)}.#" for at in range(13_000)),
        "".join(
            f"{chr(0x10428 + at % 40)}.{chr(0x10428 + at // 40 % 40)}{at}# " for at in range(13_000)
        ),
        "".join(chr(0x20000 + at % 40_000) for at in range(MAX_TEXT)),
        "'a.".join(f"{at}" for at in range(13_000)),
        "\ufdfa" * MAX_TEXT,
    ],
)
def test_the_tokens_of_the_longest_texts_are_within_what_postgresql_takes(text):
    made = tokens(text[:MAX_TEXT])
    assert sum(len(token.encode()) for token in made) < 1_000_000
