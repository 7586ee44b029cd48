"""The text of HTML that was cut."""

from forumsvc.markup.text_content import text_of_cut_html
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
def test_the_text_of_html_that_is_cut_has_no_half_of_anything(html: str, shown: str) -> None:
    assert text_of_cut_html(html) == shown
