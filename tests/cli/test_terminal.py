"""The terminal shows memory text but never obeys it."""

import io

import pytest

from secondhop.cli.terminal import (
    clean,
    console_on,
    shorten,
)
from secondhop.headings import without_heading_signs

HOSTILE = (
    "\x1b]0;title\x07\x1b[2J\x1b[31mred\x1b[0m\r\n\u202egnp.exe\u0000\ud800 [bold]x[/bold] :boom:"
)


def test_cleaned_text_is_one_line_without_controls() -> None:
    assert clean(HOSTILE) == "red gnp.exe [bold]x[/bold] :boom:"


@pytest.mark.parametrize("text", ["", "   ", "word", "two words", "x" * 50, HOSTILE])
@pytest.mark.parametrize("length", [1, 2, 9, 40])
def test_shortened_text_fits(text: str, length: int) -> None:
    assert len(shorten(text, length)) <= length


def test_markup_in_a_text_is_printed_as_it_is() -> None:
    stream = io.StringIO()

    console_on(stream).print("[bold]x[/bold] :boom: [link=file:///etc/passwd]y[/link]")

    assert stream.getvalue() == "[bold]x[/bold] :boom: [link=file:///etc/passwd]y[/link]\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_a_terminal_that_lacks_a_character_gets_a_stand_in(encoding: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)

    console_on(stream).print("東京 naïve …")
    stream.flush()

    assert raw.getvalue()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("## Who comes? ##\nMia", "Who comes?\nMia"),
        ("```\n# a comment\n```\n# Trip", "```\n# a comment\n```\nTrip:"),
        ("#hashtag\n####### seven", "#hashtag\n####### seven"),
        ("C# is a language", "C# is a language"),
        ("# ", ""),
    ],
)
def test_only_headings_lose_their_signs(text: str, plain: str) -> None:
    assert without_heading_signs(text) == plain
