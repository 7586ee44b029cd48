"""The text of HTML that was cut, and what it shows at first."""

from forumsvc.markup.text_content import text_content, text_of_cut_html, without_details
from tests.cases import each


@each(
    ("html", "shown"),
    [
        ("<p>one &lt;b&gt;</p><p>two", " one <b>  two"),
        ('<p>one <a href="/x?a=1', " one "),
        ('<p>one <a title="a<b', " one "),
        ("<p>one &am", " one "),
        ("<p>one &#x1F", " one "),
    ],
)
def test_the_text_of_html_that_is_cut_has_no_half_of_anything(html, shown):
    assert text_of_cut_html(html) == shown


@each(
    ("html", "shown"),
    [
        ("<p>a</p><details>b</details><p>c</p>", "a c"),
        ("<details>\n<summary>End</summary>\n<p>b</p>\n</details>\n<p>c</p>", "End c"),
        ('<details title=">"><summary><b>E</b>nd</summary>b</details>c', "End c"),
        ("a<details><details><summary>b</summary>c</details>d</details>e", "a e"),
        (
            "<details><summary>a<details><summary>b</summary>c</details></summary>d</details>e",
            "a e",
        ),
        ("<details>a</details>b<details>c</details>d", "b d"),
        ('<details open=""><summary>a</summary>b<details>c</details>d</details>e', "a b d e"),
        ('<p>a</p><details><p>b</p><img src="/x', "a"),
        ("<pre>&lt;details&gt;a</pre>", "<details>a"),
    ],
)
def test_what_details_hide_is_left_out_but_their_summary(html, shown):
    assert text_content(without_details(html)).split() == shown.split()
