"""Parts of texts, each with a label: errors in a translation, claims without support, names in a report."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import Field as Limits
from pydantic import model_validator

from annotate.kinds.questions.base import MOST_OPTIONS, Facts, ModelDoubt, PlacedMessage, Question, distinct
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import Column, LocalText, Name, Value, in_language, one_line
from annotate.kinds.questions.lanes import span_groups
from annotate.kinds.questions.places import Span, lost_at_the_end, place_fault, stored_text
from annotate.kinds.questions.quoting import located
from annotate.kinds.questions.span_rows import posted_spans
from lib.stats.similarity import marked_f1
from lib.texts.stored_sentences import say as _

MOST_SPANS = 10_000  # of one answer
MOST_FAULTS = 20  # of one answer that are listed
LONGEST_NOTE = 4000
OF_A_SPAN = ("field", "start", "end", "text", "label", "note")
OF_A_QUOTE = ("quote", "occurrence")
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # as JSON writes it
IN_WORDS = {  # what a model is told
    "en": {
        "head": "a list of spans, empty if there is none; copy each into `quote` exactly as it stands, no longer than "
        "needed, and where the same words stand several times say which with `occurrence`, counted from 1",
        "field": "field",
        "label": "label",
    },
    "zh": {
        "head": "一个片段列表，没有则为空列表；把每个片段原样抄到 `quote`，不要超出所需；"
        "同样的文字出现多次时，用 `occurrence` 说明是第几处，从 1 数起",
        "field": "field",
        "label": "label",
    },
}


class Spans(Question):
    """Spans of the texts in `on`, each with a label and a value of every attribute; [] says that there is none.

    An answer is a list of {"field", "start", "end", "text", "label", <attribute>: value, "note"?}; start and end count
    code points of the stored text, and `text` is what stands between them. Spans may overlap. labels: texts, or
    category -> its labels, which are stored as `Category/Label`. attributes: name -> values. none: what the button says
    by which people say that there is none. others: whether labels that are not listed are kept, with a warning.
    """

    type: Literal["spans"]
    on: Annotated[list[Column], Limits(min_length=1, max_length=20)]
    labels: (
        Annotated[list[Value], Limits(min_length=1, max_length=MOST_OPTIONS)]
        | Annotated[dict[Value, Annotated[list[Value], Limits(max_length=MOST_OPTIONS)]], Limits(min_length=1)]
    )
    attributes: Annotated[
        dict[Name, Annotated[list[Value], Limits(min_length=1, max_length=30)]],
        Limits(default_factory=dict, max_length=10),
    ]
    none: LocalText | None = None
    others: bool = False

    how = "spans"
    level = "spans"
    controls = (
        SettingControl("on", "columns", gettext_lazy("Marked columns"), gettext_lazy("Texts that are shown.")),
        SettingControl("labels", "lines", gettext_lazy("Labels"), gettext_lazy("One a line.")),
        SettingControl(
            "attributes", "lists", gettext_lazy("Attributes"), gettext_lazy("Asked of each span, such as its severity.")
        ),
        SettingControl(
            "none", "words", gettext_lazy("Button for no span"), gettext_lazy("By it people say that there is none.")
        ),
        SettingControl("others", "switch", gettext_lazy("Keep labels that are not listed"), default=False),
    )

    @classmethod
    def starting(cls, columns: Sequence[str]) -> dict[str, Any]:
        return {"on": list(columns[-1:]), "labels": ["A", "B"]}

    @model_validator(mode="after")
    def _names_differ(self) -> "Spans":
        for values in (self.on, self.known_labels, *self.attributes.values()):
            distinct(values)
        if len(self.known_labels) > MOST_OPTIONS:
            message = _("there are %(n)d labels; at most %(most)d are allowed.")
            raise ValueError(message % {"n": len(self.known_labels), "most": MOST_OPTIONS})
        for name in self.attributes:
            if name in (*OF_A_SPAN, *OF_A_QUOTE):
                message = _("“%(name)s” has a meaning in every span; give the attribute another name.")
                raise ValueError(message % {"name": name})
        return self

    @cached_property
    def known_labels(self) -> list[str]:
        """The labels as spans have them, in order."""
        return [label for _category, labels in self.categories for label, _name in labels]

    @property
    def categories(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """(category, its labels as (stored, as people read them)); one without a name where labels are a plain list."""
        if isinstance(self.labels, list):
            return [("", [(label, label) for label in self.labels])]
        return [
            (category, [(f"{category}/{label}", label) for label in labels] or [(category, category)])
            for category, labels in self.labels.items()
        ]

    def columns(self) -> Sequence[str]:
        return self.on

    def text_columns(self) -> Sequence[str]:
        return self.on

    # --- answers ------------------------------------------------------------------------------------------------------
    def is_blank(self, answer: Any) -> bool:
        """An empty list says that there is none."""
        return answer is None

    def for_conditions(self, answer: Any) -> Any:
        """The labels and categories that occur. An answer without spans is answered, and has none of them."""
        if not isinstance(answer, list):
            return answer
        labels = dict.fromkeys(str(span.get("label", "")) for span in answer)
        return list(dict.fromkeys(part for label in labels for part in (label, label.partition("/")[0]))) or [""]

    def read(self, data: QueryDict) -> Any:
        """The JSON that the page posted in one field; what is no JSON stays as typed."""
        typed = self.control.text(data)
        return self.typed(typed) if typed.strip() else None

    def read_about(self, data: QueryDict, facts: Facts) -> Any:
        """Where no script runs, rows of words copied from the texts instead of the JSON."""
        if f"{self.control.name}-rows" not in data:
            return self.read(data)
        texts = {field: stored_text(facts, field) for field in self.on}
        return self.in_order(posted_spans(data, self.control.name, texts, list(self.attributes)))

    def typed(self, value: Any) -> Any:
        return self.in_order(_from_json(value)) if isinstance(value, str) else self.in_order(value)

    def in_order(self, answer: Any) -> Any:
        """The spans by the order of `on`, start and end; an answer of another shape as it is."""
        if not isinstance(answer, list) or any(self.shape_faults(answer)):
            return answer
        return sorted((_without_blanks(span) for span in answer), key=self._place)

    def _place(self, span: Span) -> tuple[int, int, int]:
        field = self.on.index(span["field"]) if span["field"] in self.on else len(self.on)
        return field, span["start"], span["end"]

    def shape_faults(self, answer: Any) -> Iterator[str]:
        return (message for _place, message in self.placed_shape_faults(answer))

    def placed_shape_faults(self, answer: Any) -> Iterator[PlacedMessage]:
        if answer is None:
            return
        if not isinstance(answer, list):
            yield "", _("must be a list of spans; an empty list says that there is none.")
        elif len(answer) > MOST_SPANS:
            message = _("has %(n)d spans; at most %(most)d are allowed. Split the text into several items.")
            yield "", message % {"n": len(answer), "most": MOST_SPANS}
        else:
            faults = (fault for number, span in enumerate(answer) for fault in _shape_faults(span, f"[{number}]"))
            yield from islice(faults, MOST_FAULTS)

    def problems(self, answer: Any, facts: Facts) -> Iterator[str]:
        return (message for _place, message in self.placed_problems(answer, facts))

    def placed_problems(self, answer: Any, facts: Facts) -> Iterator[PlacedMessage]:
        if answer is None and self.required:
            yield "", _("mark the spans, or say that there is none.")
        yield from self._placed_limits(answer or [], facts)

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        return (message for _place, message in self._placed_limits(answer, facts))

    def fits(self, answer: Any) -> bool:
        return all(span["field"] in self.on and not self._of_values(span) for span in answer)

    def _placed_limits(self, answer: Sequence[Span], facts: Facts) -> Iterator[PlacedMessage]:
        texts = {field: stored_text(facts, field) for field in self.on}
        faults = (
            (f"[{number}]{part}", message)
            for number, span in enumerate(answer)
            for part, message in self._of_span(span, texts)
        )
        return islice(faults, MOST_FAULTS)

    def _of_span(self, span: Span, texts: Mapping[str, str]) -> list[PlacedMessage]:
        if span["field"] not in self.on:
            message = _("spans of “%(field)s” are not asked for; allowed: %(allowed)s.")
            return [(".field", message % {"field": one_line(span["field"], 60), "allowed": ", ".join(self.on)[:300]})]
        fault = place_fault(span, texts[span["field"]])
        return [*([fault] if fault else []), *self._of_values(span)]

    def _of_values(self, span: Span) -> list[PlacedMessage]:
        """What labels and attributes say against a span."""
        faults: list[PlacedMessage] = []
        label = span.get("label", "")
        if not label or (label not in self.known_labels and not self.others):
            faults.append((".label", _not_allowed(span, "label", self.known_labels)))
        for name, values in self.attributes.items():
            if span.get(name) not in values:
                faults.append((f".{name}", _not_allowed(span, name, values)))
        for name in span.keys() - {*OF_A_SPAN, *self.attributes}:
            message = _("“%(name)s” is no attribute of this question; remove it.")
            faults.append((f".{one_line(name, 60)}", message % {"name": one_line(name, 60)}))
        return faults

    def remarks(self, answer: Any, facts: Facts) -> Iterator[PlacedMessage]:
        known = set(self.known_labels)
        for number, span in enumerate(answer or ()):
            if span.get("label") not in known:
                message = _("“%(value)s” is not one of the labels; it is kept.")
                yield f"[{number}].label", message % {"value": one_line(span.get("label"), 60)}
            if lost_at_the_end(span, stored_text(facts, span["field"])):
                message = _("ends behind “%(field)s”, in white space that the text does not have; it is kept.")
                yield f"[{number}].end", message % {"field": span["field"]}

    def made_of(self, answer: Any, others: Sequence[Any]) -> bool:
        """Each group of overlapping spans is as one of the others has it; a group may be left out as somebody did."""
        if not isinstance(answer, list):
            return False
        groups = span_groups([*(other or [] for other in others), answer], self.on)
        return all(group.spans[-1] in group.spans[:-1] for group in groups)

    def mapped(self, answer: Any) -> Any:
        """Labels under their new names; a category that was renamed takes its labels with it."""
        if not self.was or not isinstance(answer, list):
            return answer
        return [{**span, "label": self._label_now(span["label"])} if "label" in span else span for span in answer]

    def _label_now(self, label: str) -> str:
        category, slash, rest = label.partition("/")
        was = self.was or {}
        return was.get(label) or (f"{was[category]}/{rest}" if slash and category in was else label)

    def shown(self, answer: Any) -> str:
        """A line for each span: its place, its text, its label, its attributes, its note."""
        if answer is None:
            return ""
        return "\n".join(map(self.line, answer)) or self.none_in_words()

    def line(self, span: Span) -> str:
        place = f"{span['field']} {span['start']}–{span['end']} “{one_line(span['text'], 200)}”"
        values = [span.get(name) for name in ("label", *self.attributes, "note")]
        return " · ".join([place, *(one_line(value, 200) for value in values if value)])

    def none_in_words(self) -> str:
        return in_language(self.none) or str(_("None"))

    def exchanged(self, answer: Any, sources: Mapping[str, str]) -> Any:
        return self.in_order([{**span, "field": sources.get(span["field"], span["field"])} for span in answer])

    def measured(self, answer: Any) -> Any:
        return answer

    def similarity(self, left: Any, right: Any) -> float:
        """F1 of the marked characters; labels do not count. Two answers that mark nothing agree."""
        return marked_f1(*([(span["field"], span["start"], span["end"]) for span in spans] for spans in (left, right)))

    # --- the form, and what models are told ---------------------------------------------------------------------------
    def form_context(self, facts: Facts) -> dict[str, Any]:
        """on: the columns. categories: as above. attributes: name -> values. none: words of the button."""
        return {
            "on": self.on,
            "categories": self.categories,
            "attributes": self.attributes,
            "none": self.none_in_words(),
            "others": self.others,
        }

    def reply_schema(self) -> dict[str, Any]:
        properties: dict[str, Any] = {"quote": {"type": "string"}, "occurrence": {"type": ["integer", "null"]}}
        if len(self.on) > 1:
            properties["field"] = {"type": "string", "enum": self.on}
        properties["label"] = {"type": "string", "enum": self.known_labels}
        properties |= {name: {"type": "string", "enum": values} for name, values in self.attributes.items()}
        needed = [name for name in properties if name != "occurrence"]
        span = {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}
        return {"type": "array", "items": span}

    def answer_schema(self) -> dict[str, Any]:
        offset = {"type": "integer", "minimum": 0, "description": "code points from the start of the stored text"}
        text = {"type": "string"}
        properties: dict[str, Any] = {"field": {"enum": self.on}, "start": offset, "end": offset, "text": text}
        properties["label"] = text if self.others else {"enum": self.known_labels}
        properties |= {name: {"enum": values} for name, values in self.attributes.items()}
        span = {"type": "object", "properties": properties | {"note": text}, "required": list(properties)}
        return {"type": "array", "maxItems": MOST_SPANS, "items": span | {"additionalProperties": False}}

    def in_words(self, language: str) -> str:
        words = IN_WORDS.get(language, IN_WORDS["en"])
        allowed = {"field": self.on if len(self.on) > 1 else [], "label": self.known_labels, **self.attributes}
        return "\n".join([words["head"], *(f"- {name}: {' | '.join(of)}" for name, of in allowed.items() if of)])

    def from_model(self, answer: Any, facts: Facts) -> tuple[Any, Sequence[ModelDoubt]]:
        """Quotes become spans; those that are not there, or there several times, are left out with a doubt each."""
        spans, doubts = located(answer, {field: stored_text(facts, field) for field in self.on})
        allowed = []
        for span in spans:
            if any(self.shape_faults([span])) or any(self.limits([span], facts)):
                doubts.append(self.doubt(span))
            else:
                allowed.append(span)
        return self.in_order(allowed) if allowed or not doubts else None, doubts


def _not_allowed(span: Span, name: str, allowed: Sequence[str]) -> str:
    quoted = {"text": one_line(span["text"], 40), "name": name, "allowed": one_line(", ".join(allowed), 300)}
    if not span.get(name):
        return _("“%(text)s” has no %(name)s; choose one of: %(allowed)s.") % quoted
    message = _("“%(text)s” has the %(name)s “%(value)s”; allowed: %(allowed)s.")
    return message % {**quoted, "value": one_line(span[name], 60)}


def _shape_faults(span: Any, place: str) -> Iterator[PlacedMessage]:
    if not isinstance(span, Mapping):
        yield place, _("must be an object with field, start, end, text and label.")
        return
    for name in ("start", "end"):
        if not isinstance(span.get(name), int) or isinstance(span[name], bool):
            yield f"{place}.{name}", _("must be a whole number, counted in code points from the start of the text.")
    for name in ("field", "text"):
        if not isinstance(span.get(name), str):
            yield f"{place}.{name}", _("must be a text.")
    for name, value in span.items():
        if name not in ("start", "end", "field", "text") and not isinstance(value, str):
            yield f"{place}.{one_line(name, 60)}", _("must be a text.")
    if isinstance(span.get("note"), str) and len(span["note"]) > LONGEST_NOTE:
        message = _("has %(n)d characters; at most %(most)d are allowed.")
        yield f"{place}.note", message % {"n": len(span["note"]), "most": LONGEST_NOTE}


def _without_blanks(span: Span) -> dict[str, Any]:
    """Its parts in one order. A note or a label that is empty is none."""
    order = {name: place for place, name in enumerate(OF_A_SPAN[:-1])}
    names = sorted(span, key=lambda name: (name == "note", order.get(name, len(order))))
    return {name: span[name] for name in names if span[name] != "" or name in ("field", "text")}


def _from_json(typed: str) -> Any:
    """What the text holds as JSON; the text itself where it is none, or has what no database stores."""
    try:
        value = json.loads(typed)
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
        written.encode()
    except (ValueError, RecursionError):
        return typed
    return typed if _NUL.search(written) else value


TYPE = Spans
