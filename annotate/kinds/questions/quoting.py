"""Spans that a model marks by quoting: where in the texts each quote stands."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_noop

from annotate.kinds.questions.base import NOT_ALLOWED, ModelDoubt
from annotate.kinds.questions.definition_texts import one_line
from annotate.kinds.questions.places import is_boundary

MISSING = gettext_noop("the model quotes “%(value)s”, which is not in the text; this span is left out.")
AMBIGUOUS = gettext_noop(
    "the model quotes “%(value)s”, which is in the text %(n)d times, and does not say which; this span is left out."
)


def located(answer: Any, texts: Mapping[str, str]) -> tuple[list[dict[str, Any]], list[ModelDoubt]]:
    """The spans of a model's quotes {"quote", "occurrence"?, "field"?, …}, and a doubt for each without a place.

    texts: field -> its text. occurrence: counted from 1; it is needed where a quote stands several times. A quote
    without a field is looked for in all of them. Spans that have offsets are passed through.
    """
    spans, doubts = [], []
    for part in answer if isinstance(answer, list) else [answer]:
        span = _located(part, texts)
        if isinstance(span, dict):
            spans.append(span)
        else:
            doubts.append(span)
    return spans, doubts


def _located(part: Any, texts: Mapping[str, str]) -> dict[str, Any] | ModelDoubt:
    if isinstance(part, Mapping) and "start" in part and "quote" not in part:
        return dict(part)
    quote = part.get("quote") if isinstance(part, Mapping) else None
    if not isinstance(quote, str) or not quote.strip():
        return NOT_ALLOWED, {"value": one_line(part, 60)}
    field = part.get("field")
    places = [
        (name, *place) for name, text in texts.items() if field in (None, "", name) for place in places_of(quote, text)
    ]
    number = part.get("occurrence")
    if isinstance(number, int) and len(places) > 1 and 1 <= number <= len(places):
        places = [places[number - 1]]
    if len(places) != 1:
        return (AMBIGUOUS if places else MISSING), {"value": one_line(quote, 60), "n": len(places)}
    name, start, end = places[0]
    rest = {key: value for key, value in part.items() if key not in ("quote", "occurrence", "field") and value}
    return {"field": name, "start": start, "end": end, "text": texts[name][start:end], **rest}


def places_of(quote: str, text: str) -> Sequence[tuple[int, int]]:
    """(start, end) of every place where the quote stands, overlapping ones too; other white space is passed over."""
    words = [re.escape(word) for word in quote.split()]
    for pattern in (re.escape(quote), r"\s+".join(words)):
        ranges = [match.span(1) for match in re.finditer(f"(?=({pattern}))", text)]
        places = [place for place in ranges if is_boundary(text, place[0]) and is_boundary(text, place[1])]
        if places:
            return places
    return []
