"""Values as text in YAML 1.2 that `yaml_core.read_yaml` reads back unchanged, and as people would write it."""

import json
import re
from collections.abc import Iterator
from typing import Any

from lib.texts.yaml_core import resolves_to_text

WIDEST = 110  # characters of a line that holds a list or an object
# Starts like a word and has nothing that is an indicator inside brackets: needs no quotes anywhere.
_PLAIN = re.compile(r"[^\W_](?:[\w .;=()/?!'’%+。，、：；？！（）《》-]*[\w.;()?!'’%+。，、：；？！（）《》-])?")
_BOOLEAN_ELSEWHERE = {"yes", "no", "on", "off", "y", "n"}  # in YAML 1.1, which other programs read
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def write_yaml(value: Any, *, opened: int = 2) -> str:
    """Dicts, lists, strings, numbers, booleans and None as one document.

    opened: how many outer levels have a line for each part; what is short inside them stands in one line.
    """
    return "".join(f"{line}\n" for line in _lines(value, opened=opened))


def in_one_line(value: Any) -> str:
    """The value as it stands inside brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(name)}: {in_one_line(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(in_one_line, value)) + "]"
    return _scalar(value)


def _lines(value: Any, *, opened: int = 0) -> Iterator[str]:
    """opened: how many levels have lines of their own however short they are."""
    if not _has_own_lines(value, opened):
        yield in_one_line(value)
        return
    inner = max(0, opened - 1)
    if isinstance(value, list):
        for part in value:
            first, *rest = _lines(part, opened=inner)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
        return
    for name, part in value.items():
        if _has_own_lines(part, inner):
            yield f"{_scalar(name)}:"
            yield from (f"  {line}" for line in _lines(part, opened=inner))
        else:
            yield f"{_scalar(name)}: {in_one_line(part)}"


def _has_own_lines(value: Any, opened: int) -> bool:
    return bool(value) and isinstance(value, dict | list) and (opened > 0 or len(in_one_line(value)) > WIDEST)


def _scalar(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and resolves_to_text(value) and value.lower() not in _BOOLEAN_ELSEWHERE:
        return value
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
