"""Spans as rows of a plain form: words copied from a text, which occurrence is meant, a label, attributes, a note."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.http import QueryDict

from annotate.kinds.questions.quoting import places_of

BLANK_ROWS = 3
MOST_ROWS = 10_000
Texts = Mapping[str, str]


def rows_of(spans: Sequence[Mapping[str, Any]], texts: Texts, attributes: Iterable[str]) -> list[dict[str, Any]]:
    """A row for each span, and some blank ones. values: (attribute, value) of each; occurrence: "" of words that stand
    once.
    """
    filled = [
        {**span, "occurrence": _occurrence(span, texts), "values": [(name, span.get(name, "")) for name in attributes]}
        for span in spans
    ]
    blank = {"text": "", "values": [(name, "") for name in attributes]}
    return [{"no": str(number), **row} for number, row in enumerate([*filled, *[blank] * BLANK_ROWS], start=1)]


def _occurrence(span: Mapping[str, Any], texts: Texts) -> str:
    """From 1, overlapping ones too; "" where the words stand once."""
    text, quote = texts.get(span["field"], ""), span["text"]
    starts: list[int] = []
    start = text.find(quote)
    while start >= 0 and len(starts) <= MOST_ROWS:
        starts.append(start)
        start = text.find(quote, start + 1)
    return str(starts.index(span["start"]) + 1) if len(starts) > 1 and span["start"] in starts else ""


def posted_spans(data: QueryDict, control: str, texts: Texts, attributes: Sequence[str]) -> list[dict[str, Any]] | None:
    """The spans of the rows that a form posted; None where no row is filled and nobody said that there is none.

    Words that are not in the text are put at its start, where the check finds that something else stands.
    """
    typed_count = data.get(f"{control}-rows", "")
    count = min(int(typed_count), MOST_ROWS) if typed_count.isascii() and typed_count.isdecimal() else 0
    rows = (_span(data, f"{control}-{number}", texts, attributes) for number in range(1, count + 1))
    spans = [row for row in rows if row]
    return spans or ([] if data.get(f"{control}-none") else None)


def _span(data: QueryDict, control: str, texts: Texts, attributes: Sequence[str]) -> dict[str, Any] | None:
    field, quote = data.get(f"{control}-field", ""), data.get(f"{control}-quote", "")
    if not quote.strip():
        return None
    places = places_of(quote.replace("\r\n", "\n"), texts.get(field, "")) or places_of(quote, texts.get(field, ""))
    typed_number = data.get(f"{control}-occurrence", "").strip()
    number = int(typed_number) if typed_number.isascii() and typed_number.isdecimal() and len(typed_number) < 6 else 1
    start, end = places[number - 1] if 0 < number <= len(places) else (0, len(quote))
    text = texts[field][start:end] if places else quote
    values = {name: data.get(f"{control}-{name}", "") for name in ("label", *attributes, "note")}
    return {"field": field, "start": start, "end": end, "text": text} | {
        key: value for key, value in values.items() if value
    }
