"""What stands beside a release: its manifest, and the dataset card made from it."""

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, get_origin

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import override

from annotate.kinds.base import Kind
from annotate.models import Item, Release
from annotate.services.authorship import Totals

FORMAT = "touchstone-release-1"
ASIDE = ("key", "provenance")


@dataclass
class Counts:
    """Rows by state, group, language and split, and by every fact that has few possible values."""

    kind: Kind
    by: dict[str, Counter[str]] = field(default_factory=dict)
    guidelines: Counter[str] = field(default_factory=Counter)
    fields: dict[str, None] = field(default_factory=dict)
    authorship: Totals = field(default_factory=Totals)

    def add(self, item: Item, row: Mapping[str, Any]) -> None:
        provenance = row["provenance"]
        self.fields |= dict.fromkeys(row)
        self._count("state", item.state)
        self._count("group", item.group)
        self._count("language", item.language)
        if "split" in provenance:
            self._count("split", provenance["split"])
        for name in named_values(self.kind):
            self._count(name, str(row.get(name, "")))
        self.authorship.add(provenance.get("authorship"))
        if provenance.get("guideline_version"):
            self.guidelines[str(provenance["guideline_version"])] += 1

    def _count(self, dimension: str, value: str) -> None:
        self.by.setdefault(dimension, Counter())[value] += 1

    def as_json(self) -> dict[str, dict[str, int]]:
        return {dimension: dict(sorted(values.items())) for dimension, values in self.by.items()}


@cache
def named_values(kind: Kind) -> list[str]:
    """The facts of a kind whose values are named in its shape, such as a scenario."""
    return [
        name for name, field_info in kind.facts.model_fields.items() if get_origin(field_info.annotation) is Literal
    ]


def manifest(release: Release, counts: Counts, *, rows: int, sha256: str) -> dict[str, Any]:
    project, filters = release.project, release.filters
    return {
        "format": FORMAT,
        "software": f"touchstone {software_version()}",
        "project": project.slug,
        "name": project.name,
        "version": release.version,
        "kind": project.kind_slug,
        "schema": project.kind.schema,
        "created": release.created_at.isoformat(timespec="seconds"),
        "licence": release.licence or None,
        "note": release.note,
        "filters": {name: filters.get(name) for name in ("state", "groups", "languages")},
        "splits": {"shares": filters["splits"], "seed": filters["seed"]} if filters.get("splits") else None,
        "fields": [name for name in counts.fields if name not in ASIDE],
        "rows": rows,
        "sha256": sha256,
        "counts": counts.as_json(),
        "guideline_versions": dict(sorted(counts.guidelines.items())),
        "authorship": counts.authorship.as_json(),
    }


@cache
def software_version() -> str:
    return str(tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]["version"])


def card(release: Release) -> str:
    """The dataset card, in Markdown: the manifest in words, for people who find the file somewhere."""
    kind = release.project.kind
    names = release.manifest["fields"]
    fields = {
        "facts": [name for name in names if name in kind.facts.model_fields],
        "draft": [name for name in names if name not in kind.facts.model_fields],
    }
    with override("en"):  # a file for everybody, not a page for one person
        return render_to_string("files/card.md", {"manifest": release.manifest, "kind": kind} | fields)
