"""What a comment is about: a field of an item, or one span of an answer.

Forms name it by one value: the name of a field, or a JSON list of question, column, start, end and label. Spans have no
ids; pages show a comment at the span with its place and label, or else at the one that overlaps it most.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotate.errors import Refused
from annotate.kinds.contract import Kind
from annotate.kinds.questions.definition_texts import one_line
from annotate.kinds.questions.places import stored_text

MOST_OFFERED = 100  # spans in a list to choose from; scripts add the one that is chosen in the text
LONGEST = 400  # characters of a label, and of the text that is kept with a pin


@dataclass(frozen=True)
class Pin:
    """field: "" for the whole item. span: {} or field (its column), start, end, text, label, as in answers."""

    field: str = ""
    span: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def value(self) -> str:
        """How forms name it."""
        if not self.span:
            return self.field
        parts = [self.field, *(self.span[name] for name in ("field", "start", "end", "label"))]
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))  # as JSON.stringify writes it

    def words(self, labels: Mapping[str, str]) -> str:
        """People's name for it: `checklist[1]` is row 2 of the field that the form calls Checklist."""
        name, _bracket, row = self.field.partition("[")
        label, number = labels.get(name, name), row.removesuffix("]")
        if self.span:
            marked = one_line(self.span.get("text", ""), 60)
            return f"{label}: “{marked}” {' / '.join(str(self.span.get('label', '')).split('/'))}".rstrip()
        if not number.isdecimal():
            return label
        return _("%(field)s, row %(number)d") % {"field": label, "number": int(number) + 1}


def pins_in(kind: Kind, facts: Any, draft: Mapping[str, Any] | None) -> Iterator[Pin]:
    """What can be chosen: each field, followed by the first spans of its answer in this draft."""
    for kind_field in kind.fields(facts):
        yield Pin(kind_field.name)
        answer = (draft or {}).get(kind_field.name) if kind_field.how == "spans" else None
        for span in answer[:MOST_OFFERED] if isinstance(answer, list) else ():
            yield Pin(kind_field.name, {"label": "", **span})


def read_pin(value: str, kind: Kind, facts: Any) -> Pin:
    """The pin that a form names. Raises Refused if the item has no such field, or no text at such a place."""
    refused = Refused(_("Choose the field your comment is about."))
    if not value.startswith("["):
        if value and value not in {kind_field.name for kind_field in kind.fields(facts)}:
            raise refused
        return Pin(value)
    try:
        name, column, start, end, label = json.loads(value)
    except (ValueError, RecursionError):
        raise refused from None
    question = kind.questions().get(name) if isinstance(name, str) else None
    if column not in getattr(question, "on", ()) or not _is_label(label):
        raise refused
    text = stored_text(facts.columns, column)
    if type(start) is not int or type(end) is not int or not 0 <= start < end or start >= len(text):
        raise refused
    return Pin(name, {"field": column, "start": start, "end": end, "text": text[start:end][:LONGEST], "label": label})


def _is_label(label: Any) -> bool:
    return isinstance(label, str) and len(label) <= LONGEST and label.isprintable()
