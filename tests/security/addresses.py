"""Every address the installation answers, read from the URL resolver."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver, reverse

NOWHERE = {"uidb36": "1", "key": "no-such-key", "link": "no-such-link", "no": "1"}


@dataclass(frozen=True)
class Address:
    name: str
    parameters: tuple[str, ...]

    @property
    def in_a_project(self) -> bool:
        return "slug" in self.parameters

    @property
    def id_name(self) -> str:
        """The parameter that names an object; empty where none does."""
        return next((name for name in self.parameters if name not in ("slug", *NOWHERE)), "")

    def path(self, *, slug: str, object_id: Any) -> str:
        """The path for an object; parameters of other people's pages get values that lead nowhere."""
        given = {**NOWHERE, "slug": slug, self.id_name: object_id}
        return reverse(self.name, kwargs={name: given[name] for name in self.parameters})


@cache
def addresses() -> dict[str, Address]:
    return {address.name: address for address in _walk(get_resolver().url_patterns, ())}


def _walk(patterns: list[URLPattern | URLResolver], outer: tuple[str, ...]) -> Iterator[Address]:
    for entry in patterns:
        inner = (*outer, *entry.pattern.regex.groupindex)
        if isinstance(entry, URLResolver):
            yield from _walk(entry.url_patterns, inner)
        else:
            assert entry.name, f"{entry.pattern} has no name, so the matrix cannot speak of it"
            yield Address(entry.name, inner)
