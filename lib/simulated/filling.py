"""Fills any JSON schema with values that fit the schema and the request's text."""

import datetime
import math
import random
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest, NotUnderstood, Schema, resolved
from lib.simulated.wording import SentenceWording

# Texts: makes a text fit the length, format and pattern of a schema.


_DAY = datetime.date(2024, 1, 1)


def fitted(text: str, schema: Schema, chance: random.Random) -> str:
    """Raises NotUnderstood where no text is known that matches the pattern or the format."""
    name = schema.get("format")
    if name:
        if name not in FORMATS:
            raise NotUnderstood(f"The format {name!r} is not supported.", "response_format")
        text = FORMATS[name](chance)
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if most is not None and least > most:
        raise NotUnderstood(f"No text has at least {least} and at most {most} characters.", "response_format")
    while text and len(text) < least:
        text += f" {text}"
    text = text if most is None else _shortened(text, most)
    return _matching(text, schema["pattern"], chance) if "pattern" in schema else text


def _shortened(text: str, most: int) -> str:
    """Cut where a mark of the end can be kept: a question stays one."""
    if len(text) <= most:
        return text
    return text[: most - 1] + text[-1] if most else ""


def _matching(text: str, pattern: str, chance: random.Random) -> str:
    """The text, a word or a number of it, if one matches; patterns are not solved."""
    number = str(chance.randint(1, 9))
    for candidate in (text, *text.split(), text.split()[0].lower() if text.split() else "", number, number * 4, "A"):
        if re.search(pattern, candidate):
            return candidate
    raise NotUnderstood(f"No text is known that matches the pattern {pattern!r}.", "response_format")


def _day(chance: random.Random) -> datetime.date:
    return _DAY + datetime.timedelta(days=chance.randint(0, 365))


FORMATS: Mapping[str, Callable[[random.Random], str]] = {
    "date": lambda chance: _day(chance).isoformat(),
    "date-time": lambda chance: f"{_day(chance).isoformat()}T08:30:00Z",
    "time": lambda chance: f"{chance.randint(0, 23):02}:30:00Z",
    "duration": lambda chance: f"PT{chance.randint(1, 59)}M",
    "email": lambda chance: f"person{chance.randint(1, 99)}@example.org",
    "uri": lambda chance: f"https://example.org/{chance.randint(1, 99)}",
    "uuid": lambda chance: str(uuid.UUID(int=chance.getrandbits(128), version=4)),
}


# Roles: the purpose of a value, guessed from the names on its path.


Path = tuple[object, ...]  # names of properties and places in lists, from the outside in

COMPARED = re.compile(r"winner|choice|better|prefer|verdict", re.IGNORECASE)
SCORE = re.compile(r"score|rating|grade|points|分", re.IGNORECASE)
WEIGHT = re.compile(r"weight|权重", re.IGNORECASE)
QUESTION = re.compile(r"question|criteri|check|item|问题", re.IGNORECASE)
ROLES = [
    (re.compile(r"question|checklist|criteri|check", re.IGNORECASE), "question"),
    (re.compile(r"feedback|comment|critique", re.IGNORECASE), "feedback"),
    (re.compile(r"reason|explan|rationale|why|analys|justif|evidence", re.IGNORECASE), "reason"),
    (re.compile(r"follow|second", re.IGNORECASE), "follow_up"),
    (re.compile(r"title|name|label|topic|key|task|type|tag|category|keyword", re.IGNORECASE), "label"),
]


def role_of(path: Path) -> str:
    """What a text is for, by the nearest name that says it."""
    names = [str(step) for step in reversed(path) if isinstance(step, str)]
    return next((role for name in names for pattern, role in ROLES if pattern.search(name)), "prose")


def is_named(path: Path, pattern: re.Pattern[str]) -> bool:
    return bool(path) and pattern.search(str(path[-1])) is not None


# Lists of weighted questions: their weights add up to 1.


def weighted(entries: list[Any]) -> list[Any]:
    """Lists of objects with a question and a weight, or of such pairs, get weights that add up to 1."""
    weight_keys = [_place_of_weight(entry) for entry in entries]
    if not entries or any(key is None for key in weight_keys):
        return entries
    shares = [abs(float(entry[key])) + 0.05 for entry, key in zip(entries, weight_keys, strict=True)]
    for entry, key, weight in zip(entries, weight_keys, shared_out(shares), strict=True):
        entry[key] = weight
    return entries


def _place_of_weight(entry: Any) -> Any:
    if isinstance(entry, dict):
        weights = [name for name, value in entry.items() if WEIGHT.search(name) and isinstance(value, float)]
        return weights[0] if weights and any(QUESTION.search(name) for name in entry) else None
    pair = isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str) and isinstance(entry[1], float)
    return 1 if pair else None


def shared_out(shares: list[float]) -> list[float]:
    """Hundredths in proportion to the shares, adding up to 1."""
    whole = [max(1, int(100 * share / math.fsum(shares))) for share in shares]
    whole[whole.index(max(whole))] += 100 - sum(whole)
    return [part / 100 for part in whole]


DEEPEST = 8
MOST_ENTRIES = 4
WIDTH = 10  # of a range of numbers that is open on one side


def filled(request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
    """A value of the schema that was asked for. Raises NotUnderstood where none can be made."""
    assert request.schema is not None
    return Filler(request, draw, knobs).value(request.schema, ())


class Filler:
    """path: names and numbers that lead to the value; what is drawn is drawn by it."""

    def __init__(self, request: ChatRequest, draw: Draw, knobs: Knobs) -> None:
        assert request.schema is not None
        self.root, self.draw, self.knobs = request.schema, draw, knobs
        self.wording = SentenceWording(request.material, draw)

    def value(self, schema: Schema, path: Path) -> Any:
        schema = resolved(schema, self.root)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._choice(schema["enum"], path)
        for word in ("anyOf", "oneOf"):
            if schema.get(word):
                return self.value(self._branch(schema[word], path), path)
        return FILLERS[self._type(schema, path)](self, schema, path)

    def _type(self, schema: Schema, path: Path) -> str:
        declared_type = schema.get("type")
        if isinstance(declared_type, list):
            return str(declared_type[0] if len(path) < DEEPEST or "null" not in declared_type else "null")
        guessed = "object" if "properties" in schema else "array" if "items" in schema else "string"
        return str(declared_type or guessed)

    def _branch(self, branches: list[Schema], path: Path) -> Schema:
        """Null only where it would get too deep, or seldom; for then the answer says something."""
        some = [branch for branch in branches if resolved(branch, self.root).get("type") != "null"]
        null_wanted = len(some) < len(branches) and (len(path) >= DEEPEST or self.draw.happens(0.1, "null", *path))
        return {"type": "null"} if null_wanted or not some else self.draw.one(some, "branch", *path)

    def _choice(self, values: list[Any], path: Path) -> Any:
        if is_named(path, COMPARED) and self.draw.happens(self.knobs.bias("position"), "position", *path):
            return values[0]
        return self.draw.one(values, *path)

    def _object(self, schema: Schema, path: Path) -> dict[str, Any]:
        inner = schema.get("properties", {})
        if len(path) > 4 * DEEPEST:
            raise NotUnderstood("The schema has no end: it requires itself.", "response_format")
        names = schema.get("required", list(inner)) if len(path) >= DEEPEST else list(inner)
        members = {name: self.value(part, (*path, name)) for name, part in inner.items() if name in names}
        extra = schema.get("additionalProperties")
        if isinstance(extra, Mapping) and not inner:
            count = max(2, schema.get("minProperties", 0))
            keys = self.wording.several("question", min(count, schema.get("maxProperties", count)), *path)
            members |= {key: self.value(extra, (*path, key)) for key in keys}
        return members

    def _array(self, schema: Schema, path: Path) -> list[Any]:
        fixed = schema.get("prefixItems", [])
        entries = [self.value(part, (*path, index)) for index, part in enumerate(fixed)]
        items = resolved(schema.get("items") or {}, self.root) if schema.get("items") else None
        if items is None or (fixed and "minItems" not in schema):
            if len(entries) < schema.get("minItems", 0):
                raise NotUnderstood(
                    f"It is not said what the list {'/'.join(map(str, path))} holds.", "response_format"
                )
            return entries
        count = max(0, self._count(schema, path) - len(entries))
        if "enum" in items and count <= len(items["enum"]):
            return entries + self.draw.some(items["enum"], count, *path)
        for index in range(len(entries), len(entries) + count):
            entries.append(self._another(items, (*path, index), entries if schema.get("uniqueItems") else []))
        return weighted(entries)

    def _another(self, items: Schema, path: Path, unlike: list[Any]) -> Any:
        """An entry that is equal to none of these. Raises NotUnderstood where there is none."""
        for turn in range(100):
            value = self.value(items, path if not turn else (*path, f"again {turn}"))
            if value not in unlike:
                return value
        raise NotUnderstood("No list has so many different entries.", "response_format")

    def _count(self, schema: Schema, path: Path) -> int:
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        if len(path) >= DEEPEST:
            return int(least)
        upper = max(least, MOST_ENTRIES) if most is None else most
        return self.draw.of("count", *path).randint(min(max(least, 2), upper), min(upper, max(least, MOST_ENTRIES)))

    def _string(self, schema: Schema, path: Path) -> str:
        return fitted(self._text(role_of(path), path), schema, self.draw.of(*path))

    def _text(self, role: str, path: Path) -> str:
        if role == "label":
            return self.wording.label(*path)
        if role in ("prose", "follow_up"):
            return self.wording.prose(*path, opening="opening" if role == "prose" else role)
        position = next((index for index in range(len(path) - 1, -1, -1) if isinstance(path[index], int)), None)
        if position is None:
            return self.wording.sentence(role, *path)
        # One of a list: the list is drawn as a whole, so that no two of its sentences are equal.
        number = int(str(path[position]))
        sentences = self.wording.several(role, number + 1, *path[:position], *path[position + 1 :])
        return sentences[number % len(sentences)]

    def _number(self, schema: Schema, path: Path) -> float:
        low, high = _range(schema, 1.0 if is_named(path, WEIGHT) else None)
        step = schema.get("multipleOf")
        if step:
            return float(self._whole(math.ceil(low / step), math.floor(high / step), path) * step)
        share = self._share(path)
        value = round(low + (high - low) * share, 2)
        return value if low <= value <= high else low + (high - low) * share

    def _integer(self, schema: Schema, path: Path) -> int:
        low, high = _range(schema, None, inside=1)
        step = int(schema.get("multipleOf", 1))
        return self._whole(math.ceil(low / step), math.floor(high / step), path) * step

    def _whole(self, low: int, high: int, path: Path) -> int:
        if low > high:
            raise NotUnderstood(f"No number fits at {'/'.join(map(str, path))}.", "response_format")
        return min(high, low + int((high - low + 1) * self._share(path)))

    def _share(self, path: Path) -> float:
        """How far up in its range a number lies, never at an end; scores lie higher by the bias to leniency."""
        share = 0.01 + 0.98 * self.draw.of(*path).random()
        return share + (0.99 - share) * self.knobs.bias("leniency") if is_named(path, SCORE) else share

    def _boolean(self, schema: Schema, path: Path) -> bool:
        return self.draw.happens(0.5 + 0.5 * self.knobs.bias("leniency"), *path)

    def _null(self, schema: Schema, path: Path) -> None:
        return None


FILLERS: Mapping[str, Any] = {
    name: getattr(Filler, f"_{name}") for name in ("object", "array", "string", "number", "integer", "boolean", "null")
}


def _range(schema: Schema, most: float | None, *, inside: float = 0.01) -> tuple[float, float]:
    """Least and most of a number; an exclusive end is moved in by `inside`, an open one lies WIDTH away."""
    low = schema.get("minimum", schema["exclusiveMinimum"] + inside if "exclusiveMinimum" in schema else None)
    high = schema.get("maximum", schema["exclusiveMaximum"] - inside if "exclusiveMaximum" in schema else None)
    width = most or WIDTH
    if low is None:
        low = 0 if high is None or high >= 0 else high - width
    return low, low + width if high is None else high
