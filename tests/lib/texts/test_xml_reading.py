"""XML: what it reads, what it refuses and where it says that the fault is."""

import pytest

from lib.texts.xml_reading import DEEPEST, LONGEST, MOST_ELEMENTS, BadXml, read_xml

LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [
 <!ENTITY lol "lol">
 <!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
]>
<View>&lol2;</View>"""
OUTSIDE = '<!DOCTYPE View SYSTEM "file:///etc/passwd"><View/>'


def test_tags_and_attributes_are_in_lower_case_with_their_lines() -> None:
    root = read_xml('<View>\n  <Text Name="a &amp; b" showInLine="x"/>文本<!-- no --><B>é</B>\n</View>')
    assert [(element.tag, element.line) for element in root.walk()] == [("view", 1), ("text", 2), ("b", 2)]
    assert root.children[0].attributes == {"name": "a & b", "showinline": "x"}
    assert (root.text.strip(), root.children[1].text) == ("文本", "é")


def test_a_text_is_unicode_whatever_its_first_line_says() -> None:
    assert read_xml('\ufeff<?xml version="1.0" encoding="ascii"?><View a="é🙂"/>').get("a") == "é🙂"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (LAUGHS, 2, "document type"),
        (OUTSIDE, 1, "document type"),
        ("<View>&lol;</View>", 1, "undefined entity"),
        ("<View>\n<Text>\n</View>", 3, "mismatched tag"),
        ("", 1, "no element found"),
        ("a: b", 1, "syntax error"),
        ('<View a="1" a="2"/>', 1, "duplicate attribute"),
        ("<View>\x00</View>", 1, "invalid token"),
        ("<View>\ud800</View>", 1, ""),
        ("<a>" * (DEEPEST + 1), 1, "Nested more than"),
        ("<View>" + "<a/>" * MOST_ELEMENTS, 1, "More than"),
        ("<View>" + "x" * LONGEST, 1, "characters; at most"),
    ],
)
def test_what_is_no_small_document_is_refused_with_its_line(text: str, line: int, said: str) -> None:
    if not said:
        assert read_xml(text).text == "?"
        return
    with pytest.raises(BadXml) as bad:
        read_xml(text)
    assert bad.value.line == line
    assert said in bad.value.message
