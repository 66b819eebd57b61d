"""Tables: the same rows in every format."""

import re

import pytest

from spatial_game.tables import TABLE_FORMATS, Column, Table

FRUIT = Table(
    (Column("Kind"), Column("Name"), Column("Share", ".1%"), Column("Count", ",")),
    (("sweet", "apple_1", 0.25, 12345), ("sweet", "pear|plum", None, 7), ("sour", "lime & co", 1.0, 0)),
)


def test_text_is_aligned():
    assert FRUIT.to_text() == (
        "  Kind    Name         Share    Count\n"
        "  -----------------------------------\n"
        "  sweet   apple_1      25.0%   12,345\n"
        "  sweet   pear|plum                 7\n"
        "  sour    lime & co   100.0%        0\n"
    )


def test_text_can_be_grouped():
    assert FRUIT.to_text(group_by="Kind") == (
        "  Name         Share    Count\n"
        "  ---------------------------\n"
        "\nsweet\n"
        "  apple_1      25.0%   12,345\n"
        "  pear|plum                 7\n"
        "\nsour\n"
        "  lime & co   100.0%        0\n"
    )


def test_markdown_escapes_what_would_end_a_cell_or_be_html_or_a_link():
    assert FRUIT.to_markdown().splitlines() == [
        "| Kind | Name | Share | Count |",
        "| --- | --- | ---: | ---: |",
        "| sweet | apple_1 | 25.0% | 12,345 |",
        r"| sweet | pear\|plum |  | 7 |",
        "| sour | lime & co | 100.0% | 0 |",
    ]
    texts = [r"x\|y", r"x\\|y\z", "<script>&lt;</script>", "[a](javascript:b)"]
    cells = [r"x\\\|y", r"x\\\\\|y\z", "&lt;script>&amp;lt;&lt;/script>", r"[a]\(javascript:b)"]
    lines = Table.of("a<b>", [(text,) for text in texts]).to_markdown().splitlines()
    assert lines == ["| a&lt;b> |", "| --- |", *(f"| {cell} |" for cell in cells)]


def test_html_has_classes_for_numbers_and_long_texts():
    whole = FRUIT.to_html()
    assert '<th scope="col" class=n>Share</th>' in whole
    assert '<td>lime &amp; co</td><td class="n">100.0%</td><td class="n">0</td></tr>' in whole
    assert whole.count("<tr>") == 1 + 3
    assert '<td class="w">aaa' in Table.of("Text", [("a" * 60,)]).to_html()


def test_csv_has_no_text_that_a_spreadsheet_computes():
    table = Table((Column("-5"), Column("=b")), (("=1+1", -1.5), ("@x", None), ("a-b", 2), ("＝1", "-1")))
    assert table.to_csv().splitlines() == ["-5,'=b", "'=1+1,-1.5", "'@x,", "a-b,2", "'＝1,'-1"]


@pytest.mark.parametrize("write", TABLE_FORMATS.values(), ids=TABLE_FORMATS)
def test_no_format_passes_control_characters(write):
    table = Table((Column("a\x1b[2J"), Column("b")), (("\x1b[31mred\r\n", "\u202eabc"),))
    text = write(table)
    assert text.count("\n") == len(text.splitlines())
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "x1b[31mred" in text


def test_headings_of_numbers_break_before_texts_do():
    table = Table.of("What | Most common :.1% | Nothing here", [("a name of some length", 0.5, None)])
    assert table.to_text(width=48) == (
        "  What                       Most   Nothing here\n"
        "                           common\n"
        "  ----------------------------------------------\n"
        "  a name of some length     50.0%\n"
    )


def test_a_narrow_terminal_gets_texts_below_themselves():
    table = Table((Column("What"), Column("Number", ".1f")), (("a rather long name of it", 1.0), ("b", 22.5)))
    assert table.to_text(width=80) == table.to_text()
    assert table.to_text(width=24) == (
        "  What            Number\n"
        "  ----------------------\n"
        "  a rather long      1.0\n"
        "  name of it\n"
        "  b                 22.5\n"
    )
    assert table.to_text(width=1).splitlines()[0] == "  What            Number"  # no narrower than a word


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (0.0123, "+.1pp", "+1.2 pp"),
        (-0.158, "+.1pp", "-15.8 pp"),
        (-0.0004, "+.1pp", "0.0 pp"),
        (0.0, "+.1%", "0.0%"),
        (-0.00001, ".2%", "0.00%"),
        (-0.1, "+.1%", "-10.0%"),
        (10.13, "figure", "10.130"),
        (0.5123, "figure", "0.512"),
        (26, "figure", "26"),
        (12345.6, "figure", "12,346"),
        (float("nan"), ".1%", "nan%"),
    ],
)
def test_a_value_is_written_with_its_sign_and_unit(value, style, text):
    assert Column("Name", style).write(value) == text
