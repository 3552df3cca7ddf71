"""Tags for spans of texts: what the script needs that marks them, rows without it, lists, lanes of several people."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import unescape
from typing import Any, NamedTuple

from django import template
from django.template import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from annotate.items.compare import VersionStep
from annotate.kinds.contract import Kind
from annotate.kinds.questions.lanes import LanePiece, SpanGroup, lane_pieces, span_groups
from annotate.kinds.questions.places import stored_text
from annotate.kinds.questions.span_rows import rows_of
from annotate.kinds.questions.types.spans import Spans
from annotate.templatetags.texts import placed_markdown

register = template.Library()

MOST_SPANS_IN_ROWS = 60  # about 15 ms
_RUN = re.compile(r'<(span|div)([^>]*) data-at="(\d+)(?:-(\d+))?">([^<]*)</\1>')  # as lib.texts.markdown writes it


@register.filter
def rendered_to_mark(text: str, shown_as: str) -> SafeString:
    """The text as HTML in which spans can be marked; "" where it is shown as it is stored."""
    return placed_markdown(text) if shown_as == "markdown" else SafeString("")


@register.filter
def spans_setting(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What the script that marks spans needs of its question: on, categories, attributes, none."""
    return {name: asked[name] for name in ("on", "categories", "attributes", "none")}


@register.filter
def spans_json(answer: Any) -> str:
    """The answer as its field holds it; empty for None. What could not be read stays as it was typed."""
    return "" if answer is None else answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


@register.simple_tag(takes_context=True)
def span_rows(context: Context, answer: Any, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of a form without a script; [] of answers with so many spans that a page of rows would be slow."""
    if isinstance(answer, list) and len(answer) > MOST_SPANS_IN_ROWS:
        return []
    texts = {field: stored_text(context["facts"].columns, field) for field in asked["on"]}
    return rows_of(answer if isinstance(answer, list) else [], texts, asked["attributes"])


@register.filter
def label_values(asked: Mapping[str, Any]) -> list[str]:
    """The labels as spans have them, after an empty one."""
    return ["", *(value for _category, labels in asked["categories"] for value, _name in labels)]


@register.filter
def values_of(name: str, attributes: Mapping[str, Sequence[str]]) -> list[str]:
    """The values of an attribute, after an empty one."""
    return ["", *attributes[name]]


class SpanLine(NamedTuple):
    """A span in a list. how: same | added | removed; column: what readers call it; values: (value, whether it is the
    gravest) of its attributes."""

    how: str
    span: Mapping[str, Any]
    column: str
    label: str
    values: Sequence[tuple[str, bool]]


@register.filter
def span_lines(step: VersionStep) -> list[SpanLine]:
    """The spans of a field in a version, then those of the version before that are gone."""
    question = step.kind.questions().get(step.field.name)
    column_name, attributes = _column_names(step.kind), getattr(question, "attributes", {})
    old = step.before.draft.get(step.field.name) if step.before else step.value
    new_spans, old_spans = (value if isinstance(value, list) else [] for value in (step.value, old))
    lines = [("same" if span in old_spans else "added", span) for span in new_spans]
    lines += [("removed", span) for span in old_spans if span not in new_spans]
    return [_span_line(how, span, attributes, column_name) for how, span in lines]


def _span_line(
    how: str, span: Mapping[str, Any], attributes: Mapping[str, Sequence[str]], column_name: Callable[[str], str]
) -> SpanLine:
    column = str(span.get("field", ""))
    values = [
        (str(span[name]), len(of) > 1 and span[name] == of[-1]) for name, of in attributes.items() if name in span
    ]
    return SpanLine(how, span, column_name(column), " / ".join(str(span.get("label", "")).split("/")), values)


def _column_names(kind: Kind) -> Callable[[str], str]:
    """What readers call a column of the texts that people mark."""
    definition = kind.own_definition()
    return definition.column_name if definition else str


@register.simple_tag(takes_context=True)
def lanes(context: Context, name: str) -> dict[str, Any]:
    """What everybody marked, for an adjudication: texts (column, html, text) and groups (SpanGroup) with rows.

    rendered: of a text, the lanes on the rendered one; "" where it looks as it is stored.
    cells: of each group, (what the person is called, the lines of their spans) for each candidate.
    """
    desk = context["desk"]
    question = desk.kind.questions()[name]
    column_name = _column_names(desk.kind)
    answers = [candidate.draft.get(name) for candidate in desk.candidates]
    people = [candidate.label for candidate in desk.candidates]
    groups = span_groups([answer if isinstance(answer, list) else [] for answer in answers], question.on)
    parts = ["edges", "label", *question.attributes]
    return {
        "texts": [
            {"column": column_name(field), "text": text, "html": html, "rendered": rendered}
            for field in question.on
            for text in [stored_text(desk.facts.columns, field)]
            if (of_field := [group for group in groups if group.column == field])
            for rendered in [_rendered_lanes(desk.kind, question, field, text, of_field)]
            for html in [_lanes_html(text, of_field, question, has_ids=not rendered)]
        ],
        "groups": [
            {
                "group": group,
                "differs": [_word_of(part) for part in group.differs_in(parts)],
                "cells": [
                    (label, [_span_line("same", span, question.attributes, column_name) for span in spans])
                    for label, spans in zip(people, group.spans, strict=True)
                ],
            }
            for group in groups
        ],
        "people": people,
    }


def _is_grave(span: Mapping[str, Any], attributes: Mapping[str, Sequence[str]]) -> bool:
    """Whether the span has the last value of the first attribute, which is drawn thick."""
    name, values = next(iter(attributes.items()), ("", []))
    return len(values) > 1 and span.get(name) == values[-1]


def _word_of(part: str) -> str:
    return {"edges": gettext("edges"), "label": gettext("label")}.get(part, part)


def _lanes_html(text: str, groups: Sequence[SpanGroup], question: Spans, *, has_ids: bool) -> SafeString:
    pieces = lane_pieces(text, groups)
    return format_html_join("", "{}", ((_piece_html(piece, question, has_ids=has_ids),) for piece in pieces))


def _rendered_lanes(kind: Kind, question: Spans, field: str, text: str, groups: Sequence[SpanGroup]) -> SafeString:
    """The rendered text with the lanes on it; a group whose start is hidden has its number where it is first seen."""
    definition = kind.own_definition()
    is_markdown = definition is not None and field in definition.columns_shown_as("markdown")
    rendered = placed_markdown(text) if is_markdown else SafeString("")
    lanes = _SeenLanes(text, groups)
    draw = partial(_piece_html, question=question)
    html = _RUN.sub(lambda run: "".join(lanes.html_of(run, draw)), rendered)
    return mark_safe(html)  # noqa: S308 - sanitised HTML, in which texts were replaced by format_html()


class _SeenLanes:
    """The pieces of a text, asked for run by run of its rendering, in order."""

    def __init__(self, text: str, groups: Sequence[SpanGroup]) -> None:
        self.text = text
        self.pieces: list[tuple[int, int, LanePiece]] = []
        self.numbered: set[int] = set()  # groups
        start = number = 0
        for piece in lane_pieces(text, groups):
            number = piece.group or (number if piece.lanes else 0)
            end = start + len(piece.text)
            if piece.text:
                self.pieces.append((start, end, piece._replace(group=number)))
            start = end
        self.next = 0

    def html_of(self, run: re.Match[str], draw: Callable[[LanePiece], SafeString]) -> Iterator[str]:
        tag, look, start, end, shown = run.groups()
        if end:
            pieces = self._between(int(start), int(end))
            lanes = {number: spans for _text, piece in reversed(pieces) for number, spans in piece.lanes.items()}
            number = next((piece.group for _text, piece in pieces if piece.group), 0)
            element = mark_safe(f"<{tag}{look}>{shown}</{tag}>")  # noqa: S308 - a part of sanitised HTML
            yield draw(self._once(LanePiece(element, lanes, number)))
            return
        yield f"<{tag}{look}>"
        for text, piece in self._between(int(start), int(start) + len(unescape(shown))):
            yield draw(self._once(piece._replace(text=text)))
        yield f"</{tag}>"

    def _between(self, start: int, end: int) -> list[tuple[str, LanePiece]]:
        while self.next < len(self.pieces) and self.pieces[self.next][1] <= start:
            self.next += 1
        inside = []
        for first, past, piece in self.pieces[self.next :]:
            if first >= end:
                break
            inside.append((self.text[max(first, start) : min(past, end)], piece))
        return inside

    def _once(self, piece: LanePiece) -> LanePiece:
        """A group has its number where it is seen first."""
        if piece.group in self.numbered:
            return piece._replace(group=0)
        self.numbered.add(piece.group)
        return piece


def _piece_html(piece: LanePiece, question: Spans, *, has_ids: bool = True) -> SafeString:
    """The piece inside one element for each lane, the lowest line outermost; more than three share the third."""
    html = format_html("{}", piece.text)
    for number in sorted(piece.lanes):
        grave = any(_is_grave(span, question.attributes) for span in piece.lanes[number])
        look = f"lane--{min(number, 3)}{' lane--major' if grave else ''}"
        html = format_html('<span class="lane {}">{}</span>', look, html)
    if not piece.lanes:
        return html
    start = format_html(' data-no="{}"', piece.group) if piece.group else ""
    if piece.group and has_ids:
        start += format_html(' id="group-{}-{}"', question.name, piece.group)
    return format_html('<mark class="count-{}"{}>{}</mark>', min(len(piece.lanes), 3), start, html)
