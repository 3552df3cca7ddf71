"""A safe reader of small XML documents: no document type, no entities of their own, and limits on size and depth."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from lib.texts.stored_sentences import say as _

LONGEST = 2_000_000  # characters
DEEPEST = 60
MOST_ELEMENTS = 20_000
_ENCODING = re.compile(r"^\s*<\?xml[^>]*\?>")  # says how a file was encoded, which is over once there is a text


class BadXml(ValueError):
    """The text cannot be read. line: from 1; message: why, and what to do."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message, self.line = message, line


@dataclass
class XmlElement:
    """tag, attributes: in lower case, as the document has them in any. text: its own, without that of its children."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list["XmlElement"] = field(default_factory=list)
    text: str = ""

    def get(self, name: str, default: str = "") -> str:
        return self.attributes.get(name, default)

    def walk(self) -> Iterator["XmlElement"]:
        """The element and everything inside it, in the order of the document."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_xml(text: str) -> XmlElement:
    """The root element. Comments and processing instructions are passed over. Raises BadXml."""
    if len(text) > LONGEST:
        message = _("The text has %(n)d characters; at most %(most)d are allowed.")
        raise BadXml(message % {"n": len(text), "most": LONGEST}, 1)
    return _XmlReader().root(_ENCODING.sub("", text.removeprefix("\ufeff")))


class _XmlReader:
    def __init__(self) -> None:
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._open: list[XmlElement] = []
        self._root: XmlElement | None = None
        self._elements = 0

    def root(self, text: str) -> XmlElement:
        try:
            self._parser.Parse(text.encode(errors="replace"), True)
        except expat.ExpatError as error:
            message = _("This is not XML: %(problem)s. Check the tags and quotes at this place.")
            raise BadXml(message % {"problem": expat.ErrorString(error.code)}, error.lineno) from error
        assert self._root is not None  # expat refuses a document without an element
        return self._root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        line = self._parser.CurrentLineNumber
        if self._elements > MOST_ELEMENTS:
            raise BadXml(_("More than %(most)d elements; shorten the lists.") % {"most": MOST_ELEMENTS}, line)
        if len(self._open) >= DEEPEST:
            raise BadXml(_("Nested more than %(most)d levels deep.") % {"most": DEEPEST}, line)
        element = XmlElement(tag.lower(), {name.lower(): value for name, value in attributes.items()}, line)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, _tag: str) -> None:
        self._open.pop()

    def _characters(self, text: str) -> None:
        self._open[-1].text += text

    def _doctype(self, *_declared: object) -> None:
        message = _("A document type (<!DOCTYPE …>) is not allowed; remove it.")
        raise BadXml(message, self._parser.CurrentLineNumber)
