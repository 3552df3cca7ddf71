"""Makes a text fit what a schema says of its length, format and pattern."""

import datetime
import random
import re
import uuid
from collections.abc import Callable, Mapping

from lib.simulated.requests import NotUnderstood
from lib.simulated.schemas import Schema

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
