"""The manifest of a release, the dataset card made from it, and the JSON schema of its rows."""

import hashlib
import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, get_origin

from django.conf import settings
from django.db.models import Count
from django.template.loader import render_to_string
from django.utils.translation import override

from annotate.definitions.actions import texts_of
from annotate.intake.ratings import RATER
from annotate.intake.store import RATER as THE_IMPORT
from annotate.items.authorship import AuthorshipTotals
from annotate.kinds import find_kind
from annotate.kinds.contract import Kind
from annotate.kinds.questions.base import Question
from annotate.kinds.questions.definition_texts import one_line
from annotate.models import Item, MediaFile, Release
from annotate.releases.stored_values import ReleasedItem

FORMAT = "touchstone-release-1"
ASIDE = ("key", RATER, "provenance")


@dataclass
class Counts:
    """Counts of rows by state, group, language and split, and by every fact with few possible values.

    people: who wrote the texts of the rows. left_out: reason -> ratings that have no row. media: names of files that
    rows have.
    """

    kind: Kind
    by: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    guidelines: Counter[str] = field(default_factory=Counter)
    people: set[str] = field(default_factory=set)
    media: set[str] = field(default_factory=set)
    left_out: Counter[str] = field(default_factory=Counter)
    fields: dict[str, None] = field(default_factory=dict)
    authorship: AuthorshipTotals = field(default_factory=AuthorshipTotals)

    def add(self, item: ReleasedItem, row: Mapping[str, Any]) -> None:
        provenance = row["provenance"]
        if not row.keys() <= self.fields.keys():
            self.fields |= dict.fromkeys(row)
        self.by["state"][item.state] += 1
        self.by["group"][item.group] += 1
        self.by["language"][item.language] += 1
        if "split" in provenance:
            self.by["split"][provenance["split"]] += 1
        if RATER not in row:
            for name in named_values(self.kind):
                self.by[name][str(row.get(name, ""))] += 1
        self.people.update(_people(row))
        self.media.update(file.name for file in self.kind.named_files(row))
        self.authorship.add(provenance.get("authorship"))
        if provenance.get("guideline_version"):
            self.guidelines[str(provenance["guideline_version"])] += 1

    def as_json(self) -> dict[str, dict[str, int]]:
        return {dimension: dict(sorted(values.items())) for dimension, values in self.by.items()}


def _people(row: Mapping[str, Any]) -> Iterable[str]:
    """Who wrote the text of a row; nobody where a model or an import did."""
    if RATER in row:
        return [row[RATER]]
    provenance = row["provenance"]
    writers = provenance.get("annotators") or [provenance.get("by")]
    return [name for name in writers if name and name != THE_IMPORT]


@cache
def named_values(kind: Kind) -> list[str]:
    """The facts of a kind whose values are enumerated in its schema, such as a scenario."""
    return [name for name in kind.fact_names if get_origin(kind.type_of(name)) is Literal]


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
        **({"definition": texts_of(project)} if project.kind.defined else {}),
        "filters": {name: filters.get(name) for name in ("state", "groups", "languages")},
        "splits": {"shares": filters["splits"], "seed": filters["seed"]} if filters.get("splits") else None,
        **({"one_row_per": "rater", "names": filters["names"]} if filters.get("rows") == "raters" else {}),
        "fields": [name for name in counts.fields if name not in ASIDE],
        "rows": rows,
        "people": len(counts.people),
        "left_out": _left_out(release, counts),
        "sha256": sha256,
        "counts": counts.as_json(),
        "guideline_versions": dict(sorted(counts.guidelines.items())),
        "authorship": counts.authorship.as_json(),
        **({"media": _media(release, counts)} if project.kind.names_files else {}),
    }


def _media(release: Release, counts: Counts) -> list[dict[str, Any]]:
    """The files that the rows name, by name. Their bytes are not part of the release."""
    files = MediaFile.objects.filter(project=release.project_id).order_by("name").iterator()
    return [
        {"name": file.name, "sha256": file.sha256, "type": file.type, "bytes": file.size}
        for file in files
        if file.name in counts.media
    ]


def _left_out(release: Release, counts: Counts) -> dict[str, int]:
    """What the project has and the release has not: ratings by reason, or items by state."""
    if release.filters.get("rows") == "raters":
        return dict(sorted(counts.left_out.items()))
    items = Item.objects.counted().kept().filter(project=release.project_id)
    by_state = items.order_by().values_list("state").annotate(n=Count("pk"))
    others = {state: n - counts.by["state"][state] for state, n in sorted(by_state)}
    return {state: n for state, n in others.items() if n > 0}


@cache
def software_version() -> str:
    return str(tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]["version"])


def is_per_rater(manifest: Mapping[str, Any]) -> bool:
    """Whether the release has one row for each rater of an item."""
    return manifest.get("one_row_per") == "rater"


def kind_of(manifest: Mapping[str, Any]) -> Kind:
    """The kind of a release as it was then. Raises UnknownKind, ValueError."""
    kind = find_kind(str(manifest.get("kind")))
    if kind.defined and manifest.get("definition"):
        return kind.by_definition([str(text) for text in manifest["definition"]])
    return kind


def card(manifest: Mapping[str, Any]) -> str:
    """The dataset card in Markdown: the manifest in words, for people who find the file somewhere."""
    kind, names = kind_of(manifest), manifest["fields"]
    with override("en"):  # a file for everybody, not a page for one person
        context = {
            "manifest": manifest,
            "kind": kind,
            "facts": [name for name in names if name in kind.fact_names],
            "draft": [name for name in names if name not in kind.fact_names],
            "questions": [_in_a_table(question) for question in kind.questions().values()],
        }
        return render_to_string("files/card.md", context)


def _in_a_table(question: Question) -> dict[str, str]:
    """A question as cells of a Markdown table."""
    conditions = ", ".join(f"{name}: {value}" for name, value in (question.when or {}).items())
    texts = {"name": question.name, "type": question.type, "asked": question.label("en"), "when": conditions}
    texts["values"] = "; ".join(line.removeprefix("- ") for line in question.in_words("en").splitlines())
    return {name: one_line(text, 500).replace("|", "\\|") for name, text in texts.items()}


def row_schema(manifest: Mapping[str, Any]) -> bytes | None:
    """The JSON schema of a row, for kinds that have one and files that hold whole rows."""
    if manifest.get("written_as") not in (None, "parquet"):
        return None
    is_decided = manifest["filters"]["state"] == Item.State.ACCEPTED
    with override("en"):
        schema = kind_of(manifest).row_schema(per_rater=is_per_rater(manifest), decided=is_decided)
    return None if schema is None else f"{json.dumps(schema, ensure_ascii=False, indent=1)}\n".encode()


def companions(manifest: Mapping[str, Any], name: str) -> dict[str, bytes]:
    """What lies beside a released file of this name: file name -> content of its card and of the schema of its rows."""
    contents = {f"{name}.card.md": card(manifest).encode(), f"{name}.schema.json": row_schema(manifest)}
    return {companion: content for companion, content in contents.items() if content}


def with_companions(manifest: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The manifest of a released file of this name, with the digests of what lies beside it."""
    digests = {
        companion: hashlib.sha256(content).hexdigest() for companion, content in companions(manifest, name).items()
    }
    return {**manifest, "files": [{"name": companion, "sha256": digest} for companion, digest in digests.items()]}
