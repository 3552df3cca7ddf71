"""Spans that a model marks by quoting the texts of the material, which is JSON.

Skill decides how many quotes stand in the text word for word; the others have a word too many.
"""

import json
import re
from collections.abc import Mapping
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
    quote, before = texts[field][start:end], texts[field][: end - 1]
    labels = {key: draw.one(part["enum"], key, *path) for key, part in parts.items() if "enum" in part}
    skilled = draw.happens(knobs.skill, "skill", *path)
    span = {"quote": quote if skilled else f"{quote} {quote}", "occurrence": _times(quote, before) + 1}
    return {**labels, **span, **({"field": field} if "field" in parts else {})}


def _times(quote: str, text: str) -> int:
    """How often the quote stands in the text, overlapping places too."""
    return len(re.findall(f"(?={re.escape(quote)})", text))


SHAPE = Quotes()
