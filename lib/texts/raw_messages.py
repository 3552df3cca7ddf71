"""A lead's raw messages to an evaluator, sent as they are: no fencing, no added rule, no schema.

They are one text, so that their versions are kept, compared and restored like any wording, and share one hash with the
reader of the replies:

    === raw messages ===
    reader: mt-bench

    === system ===
    You are an impartial judge.

    === user ===
    {{ question }}

    {{ answer }}

    === assistant ===
    Rating: [[

`pattern:` follows `reader: regex`. The sections system and assistant (the beginning of the reply) are optional.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from lib.texts.fencing import SLOT, UnknownSlot, slots_of

TITLE = "=== raw messages ==="
ROLES = ("system", "user", "assistant")
_SECTION = re.compile(r"^=== (?P<name>[^=\n]+) ===[ \t]*$", re.MULTILINE)
_SETTINGS = ("reader", "pattern")


class BadRawMessages(ValueError):
    """A text that cannot be read as raw messages; the error message names the place and the fix."""


@dataclass(frozen=True)
class RawMessages:
    """reader: finds the verdict in a reply; pattern: for a reader that needs one. assistant: the start of replies."""

    reader: str
    user: str
    system: str = ""
    assistant: str = ""
    pattern: str = ""

    @property
    def slots(self) -> set[str]:
        return slots_of(f"{self.system}\n{self.user}\n{self.assistant}")

    def text(self) -> str:
        """The same as one text, which `read` reads again."""
        settings = [f"reader: {self.reader}"] + ([f"pattern: {self.pattern}"] if self.pattern else [])
        parts = [f"=== {role} ===\n{body}" for role in ROLES if (body := getattr(self, role))]
        return "\n\n".join(["\n".join([TITLE, *settings]), *parts])

    def messages(self, texts: Mapping[str, str]) -> list[dict[str, str]]:
        """The messages with texts in their slots, unfenced. Instructions in a text reach the model as the lead's do.

        A text is never looked at for slots. Raises UnknownSlot.
        """
        missing = sorted(self.slots - set(texts))
        if missing:
            raise UnknownSlot(f"There is no text for the slot {missing[0]!r}; there are {', '.join(sorted(texts))}.")
        filled = {role: SLOT.sub(lambda slot: texts[slot[1]], getattr(self, role)) for role in ROLES}
        return [{"role": role, "content": body} for role, body in filled.items() if body]


def is_raw(text: str) -> bool:
    """Whether a wording is raw messages: its first line says so."""
    return text.lstrip("\ufeff \t\r\n").startswith(TITLE)


def read(text: str) -> RawMessages:
    """Raises BadRawMessages."""
    head, *sections = list(_sections(text.replace("\r\n", "\n").lstrip("\ufeff \t\n")))
    if f"=== {head[0]} ===" != TITLE:
        raise BadRawMessages(_("Start with the line %(line)s.") % {"line": TITLE})
    bodies: dict[str, str] = {}
    for name, body in sections:
        if name not in ROLES:
            raise BadRawMessages(
                _("There is no section “%(name)s”. Sections: %(all)s.") % {"name": name, "all": ", ".join(ROLES)}
            )
        if name in bodies:
            raise BadRawMessages(_("The section “%(name)s” appears twice. Keep one.") % {"name": name})
        bodies[name] = body.strip()
    if not bodies.get("user"):
        raise BadRawMessages(_("The section “user” is empty. Write what the evaluator is asked."))
    return RawMessages(**(_settings(head[1]) | bodies))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """(name, body) of each section; the text before the first has the name ''."""
    marks = list(_SECTION.finditer(text))
    if not marks or text[: marks[0].start()].strip():
        yield "", text[: marks[0].start()] if marks else text
    ends = [*[mark.start() for mark in marks], len(text)][1:]
    for mark, end in zip(marks, ends, strict=True):
        yield mark["name"].strip(), text[mark.end() : end]


def _settings(head: str) -> dict[str, str]:
    """Raises BadRawMessages."""
    settings: dict[str, str] = {}
    for line in filter(None, map(str.strip, head.splitlines())):
        name, colon, value = line.partition(":")
        if not colon or name.strip() not in _SETTINGS:
            raise BadRawMessages(
                _("“%(line)s” is not a setting. Write reader: and, if needed, pattern:.") % {"line": line[:60]}
            )
        settings[name.strip()] = value.strip()
    if not settings.get("reader"):
        raise BadRawMessages(_("Name the reader that finds the verdict, such as reader: mt-bench."))
    return settings
