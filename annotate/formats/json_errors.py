"""What is wrong with a JSON text, in words that people can act on."""

from json import JSONDecodeError

from django.utils.translation import gettext_lazy

from lib.texts.said import say as _


class BadValue(ValueError):
    """A JSON text that is refused: `path` inside it, `message` with the cause and the remedy."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


# Keys: what the standard parser says, as far as it is constant.
_REMEDIES = {
    "Expecting value": gettext_lazy("a value is missing here, or a text is not in double quotes"),
    "Expecting property name enclosed in double quotes": gettext_lazy("a name in double quotes is missing here"),
    "Expecting ',' delimiter": gettext_lazy("a comma or the closing bracket is missing here"),
    "Expecting ':' delimiter": gettext_lazy("a colon is missing here"),
    "Unterminated string starting at": gettext_lazy("the text that begins here has no closing quote"),
    "Invalid control character at": gettext_lazy(
        "a line break, tab or other control character stands in a text; write it as \\n, \\t or \\u001f"
    ),
    "Invalid \\escape": gettext_lazy("a backslash is followed by a letter it cannot precede; write \\\\ for one"),
    "Invalid \\uXXXX escape": gettext_lazy("\\u must be followed by four hexadecimal digits"),
    "Extra data": gettext_lazy("the value ends before this; put each object on a line of its own"),
}
_FALLBACK = gettext_lazy("this is not valid JSON")


def syntax_message(error: JSONDecodeError) -> str:
    cause = _REMEDIES.get(error.msg.removesuffix(": "), _FALLBACK)
    return _("Character %(position)s: %(cause)s.") % {"position": error.pos + 1, "cause": cause}
