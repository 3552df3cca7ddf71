"""What somebody can find out from a page: its texts and the values of its attributes, without our own markup."""

from collections.abc import Iterator
from html.parser import HTMLParser

# Names of our own styles and of parts of forms: whoever is called like one of them is not named by it.
MARKUP = {"class", "type", "rel", "role", "method", "name", "autocomplete", "enctype", "rows", "cols"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.said += [value for name, value in attrs if value and name not in MARKUP]

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    def handle_comment(self, data: str) -> None:
        self.said.append(data)


def readable(page: str) -> Iterator[str]:
    """Texts, comments, scripts, and the values of attributes such as links, labels and data."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    yield from reader.said
