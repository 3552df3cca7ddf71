"""Spans that a model marks by quoting the texts of the material, which is JSON.

Skill decides how many quotes stand in the text word for word; the others have a word too many. With a pattern of what
is to be marked, precision and recall decide which quotes there are, and all stand in the text.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, entry_properties, properties

MOST_QUOTES, LONGEST = 3, 3  # spans of one text, and words of each
# A word, or a Chinese character: what a quote is made of.
PIECE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W\u3400-\u4dbf\u4e00-\u9fff]+")


class Quotes(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        return bool(_asked(request))

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        texts = _texts(request)
        if knobs.span_pattern:
            return value | {name: list(_marked(request, name, texts, draw, knobs)) for name in _asked(request)}
        return value | {
            name: [
                span
                for number in range(draw.of("quotes", name).randint(0, MOST_QUOTES) if texts else 0)
                if (span := _span(request, name, number, texts, draw, knobs))
            ]
            for name in _asked(request)
        }


def _asked(request: ChatRequest) -> list[str]:
    return [name for name in properties(request) if "quote" in entry_properties(request, name)]


def _texts(request: ChatRequest) -> dict[str, str]:
    """column -> its text."""
    try:
        columns = json.loads(request.material.of("material"))
    except ValueError:
        return {}
    texts = columns.items() if isinstance(columns, Mapping) else ()
    return {name: text for name, text in texts if isinstance(text, str) and PIECE.search(text)}


def _marked(
    request: ChatRequest, name: str, texts: Mapping[str, str], draw: Draw, knobs: Knobs
) -> Iterator[dict[str, Any]]:
    """The places of the pattern that recall keeps, and other words, so many for each place that precision is as set."""
    parts = entry_properties(request, name)
    false_ones = knobs.span_recall * (1 - knobs.span_precision) / knobs.span_precision  # for each place of the pattern
    for field in [field for field in parts.get("field", {}).get("enum", texts) if field in texts]:
        right = [match for match in re.finditer(knobs.span_pattern, texts[field]) if match[0]]
        marked = [place for number, place in enumerate(right) if draw.happens(knobs.span_recall, name, field, number)]
        others = [piece for piece in PIECE.finditer(texts[field]) if not any(map(partial(_touch, piece), right))]
        more = sum(int(false_ones) + draw.happens(false_ones % 1, name, field, "false", n) for n in range(len(right)))
        for number, place in enumerate([*marked, *draw.some(others, more, name, field, "others")]):
            yield _quoted(parts, field, texts[field], place.span(), (name, field, number), draw)


def _touch(left: re.Match[str], right: re.Match[str]) -> bool:
    return left.start() < right.end() and right.start() < left.end()


def _quoted(
    parts: Mapping[str, Any], field: str, text: str, place: tuple[int, int], path: tuple[object, ...], draw: Draw
) -> dict[str, Any]:
    """The quote of a place, with labels drawn from the schema."""
    start, end = place
    labels = {key: draw.one(part["enum"], key, *path) for key, part in parts.items() if "enum" in part}
    span = {"quote": text[start:end], "occurrence": _times(text[start:end], text[: end - 1]) + 1}
    return {**labels, **span, **({"field": field} if "field" in parts else {})}


def _span(
    request: ChatRequest, name: str, number: int, texts: Mapping[str, str], draw: Draw, knobs: Knobs
) -> dict[str, Any] | None:
    """A quote with labels drawn from the schema; None if no text may be quoted."""
    parts, path = entry_properties(request, name), (name, number)
    fields = [field for field in parts.get("field", {}).get("enum", texts) if field in texts]
    if not fields:
        return None
    field = draw.one(fields, "field", *path)
    pieces = list(PIECE.finditer(texts[field]))
    first = draw.of("first", *path).randrange(len(pieces))
    last = min(first + draw.of("long", *path).randrange(LONGEST), len(pieces) - 1)
    start, end = pieces[first].start(), pieces[last].end()
    span = _quoted(parts, field, texts[field], (start, end), path, draw)
    skilled = draw.happens(knobs.skill, "skill", *path)
    return span if skilled else span | {"quote": f"{span['quote']} {span['quote']}"}


def _times(quote: str, text: str) -> int:
    """How often the quote stands in the text, overlapping places too."""
    return len(re.findall(f"(?={re.escape(quote)})", text))


SHAPE = Quotes()
