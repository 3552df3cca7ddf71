from html.parser import HTMLParser

from django.utils.safestring import SafeString
from hypothesis import given

from lib.texts.differences import difference, difference_html, pieces_html, split
from tests.lib.texts.writing import any_texts


class Reader(HTMLParser):
    """Collects the tags and the text that a browser would see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag if not attrs else f"{tag} with attributes")

    def handle_data(self, data: str) -> None:
        self.text += data


def test_additions_and_removals_have_their_elements() -> None:
    html = difference_html(difference("a <b> & c\nd", "a <i> & c\ne"))
    assert isinstance(html, SafeString)
    assert html == "a &lt;<del>b</del><ins>i</ins>&gt; &amp; c\n<del>d</del><ins>e</ins>"


@given(any_texts, any_texts)
def test_texts_are_shown_and_never_interpreted(old: str, new: str) -> None:
    found = difference(f"<script>{old}", f'<img src="x" onerror=alert(1)>{new}')
    reader = Reader(difference_html(found))
    assert reader.tags <= {"ins", "del"}
    assert reader.text == "".join(piece.text for piece in found.pieces)


def test_one_column_shows_one_text() -> None:
    left, right = split(difference("one two", "one 2"))
    assert pieces_html(left) == "one <del>two</del>"
    assert pieces_html(right) == "one <ins>2</ins>"
