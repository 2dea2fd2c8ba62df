"""Markup cannot be broken by what stands in it."""

from hypothesis import given
from hypothesis import strategies as st

from secondhop.evals.markup import UNWRITABLE, element, joined, quoted, text


@given(st.text())
def test_text_never_opens_an_element_or_ends_an_attribute(value: str) -> None:
    written = element("p", value, title=value)

    assert written.count("<") == 2
    assert written.count('"') == 2
    assert not UNWRITABLE.search(written)
    assert written.encode("utf-8")


def test_only_markup_is_taken_as_markup() -> None:
    assert element("b", element("i", "x"), "<i>") == "<b><i>x</i>&lt;i&gt;</b>"
    assert joined([None, "&", text("&")]) == "&amp;&amp;"
    assert quoted("a") == "<bdi>a</bdi>"


def test_attributes_are_written_as_html_has_them() -> None:
    found = element("td", class_="a", data_x=2.0, hidden=True, open=False, id=None)

    assert found == '<td class="a" data-x="2" hidden></td>'
    assert element("br") == "<br>"
