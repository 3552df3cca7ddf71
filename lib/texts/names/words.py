"""Lists of words as words.toml has them."""

import tomllib
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("words.toml")


def words(name: str) -> frozenset[str]:
    return frozenset(_lists()[name].split())


@cache
def _lists() -> dict[str, str]:
    return tomllib.loads(FILE.read_text("utf-8"))
