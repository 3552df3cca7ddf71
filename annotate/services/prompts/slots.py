"""The slots of a prompt, `{{ name }}`: a wording has no other than its step; one left out hides its text."""

import re
from collections.abc import Collection, Iterator

from django.utils.translation import gettext as _

from lib.texts.fencing import SLOT, slots_of

OPENED = re.compile(r"\{\{([^{}\n]{0,60}\}\})?")


def problems(text: str, slot_names: Collection[str]) -> list[str]:
    """What is wrong with the slots of a wording, a sentence each; wanted: those of the step as it was shipped."""
    return [*unreadable(text), *_unknown(text, slot_names)]


def unreadable(text: str) -> Iterator[str]:
    """What looks like a slot and is none."""
    rest = SLOT.sub(lambda slot: "\n" * slot[0].count("\n") or " ", text)
    for number, line in enumerate(rest.split("\n"), start=1):
        for match in OPENED.finditer(line):
            words = _("Line %(line)d: “%(found)s” is no slot. Write {{ name }}, or put a space between the braces.")
            yield words % {"line": number, "found": match[0]}


def _unknown(text: str, slot_names: Collection[str]) -> Iterator[str]:
    for name in sorted(slots_of(text) - set(slot_names)):
        there_are = ", ".join(sorted(slot_names)) or _("none")
        yield _("There is no slot “%(name)s” in this step. Slots: %(slots)s.") % {"name": name, "slots": there_are}


def unseen(text: str, slot_names: Collection[str]) -> Iterator[str]:
    """What the model is not shown because its slot was left out, a sentence each."""
    for name in sorted(set(slot_names) - slots_of(text)):
        yield _("The slot {{ %(name)s }} is left out: the model will not see its text.") % {"name": name}
