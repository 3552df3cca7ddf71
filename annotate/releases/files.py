"""The files of releases: rows with digest and index, manifest, and dataset card. Files are written atomically."""

import hashlib
import json
import secrets
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from json.encoder import encode_basestring_ascii
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self, get_origin

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import override

from annotate.definitions.actions import texts_of
from annotate.durable import make_folder, move, replacing, sync
from annotate.errors import LeaseLost
from annotate.items.authorship import AuthorshipTotals
from annotate.kinds.contract import Kind
from annotate.models import Release
from annotate.releases.stored_values import ReleasedItem


def folder() -> Path:
    return make_folder(Path(settings.DATA_DIR) / "files" / "releases")


def path_of(stored_as: str) -> Path:
    return folder() / stored_as


def index_of(stored_as: str) -> Path:
    return folder() / f"{stored_as}.index"


def random_name() -> str:
    return f"{secrets.token_hex(16)}.jsonl"


def line_of(row: Mapping[str, Any]) -> bytes:
    """One line in UTF-8 with a line feed at the end; characters are not escaped."""
    return _encoded(row).encode() + b"\n"


_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


class IndexEntry(NamedTuple):
    """The offset of a row in its file, and the digest of its content without provenance."""

    key: str
    digest: str
    offset: int


class Writer:
    """Writes rows with digest and index under temporary names; `publish` renames both files."""

    def __init__(self, stored_as: str) -> None:
        self._target, self._index_target = path_of(stored_as), index_of(stored_as)
        # A random name: a worker that was taken for dead may still be writing.
        suffix = secrets.token_hex(4)
        self._part, self._index_part = (
            self._target.with_suffix(f".{suffix}"),
            self._target.with_suffix(f".{suffix}-index"),
        )
        self._digest = hashlib.sha256()
        self._offset = 0
        self.rows = 0

    def __enter__(self) -> Self:
        self._file, self._index = self._part.open("wb"), self._index_part.open("w", encoding="utf-8")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._file.close()
            self._index.close()
        self._part.unlink(missing_ok=True)
        self._index_part.unlink(missing_ok=True)

    def write(self, row: Mapping[str, Any]) -> None:
        """Write a row whose last field is `provenance`; each part is encoded once, which takes longer than writing."""
        fields = dict(row)
        del fields["provenance"]
        content = _encoded(fields)
        line = f'{content[:-1]}, "provenance": {_encoded(row["provenance"])}}}\n'.encode()
        row_digest = hashlib.sha256(f"{content}\n".encode())
        self._index.write(f'[{encode_basestring_ascii(row["key"])}, "{row_digest.hexdigest()[:16]}", {self._offset}]\n')
        self._file.write(line)
        self._digest.update(line)
        self._offset += len(line)
        self.rows += 1

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def publish(self) -> None:
        """Give both files their names, and remove what killed workers left. Raises LeaseLost if others did so."""
        for file in (self._file, self._index):
            sync(file)
        try:
            move(self._index_part, self._index_target)
            move(self._part, self._target)
        except FileNotFoundError as removed:
            raise LeaseLost("Another worker has written this release, or it is written anew.") from removed
        remove_parts(self._target.name)


def remove_parts(stored_as: str) -> None:
    """Remove the unfinished files of a release: a killed worker leaves them, with all the texts written so far."""
    target = path_of(stored_as)
    for part in target.parent.glob(f"{target.stem}.*"):
        if part not in (target, index_of(stored_as)):
            part.unlink(missing_ok=True)


def discard(stored_as: str) -> None:
    for path in (path_of(stored_as), index_of(stored_as)):
        path.unlink(missing_ok=True)
    remove_parts(stored_as)


def indexed(stored_as: str) -> Iterator[IndexEntry]:
    with index_of(stored_as).open(encoding="utf-8") as index:
        for line in index:
            yield IndexEntry(*json.loads(line))


@contextmanager
def rows_at(stored_as: str) -> Iterator[Any]:
    """A function from an offset of the index to the row that begins there."""
    with path_of(stored_as).open("rb") as file:

        def row_at(offset: int) -> dict[str, Any]:
            file.seek(offset)
            return dict(json.loads(file.readline()))

        yield row_at


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: it exists with all its content or not at all."""
    with replacing(path) as file:
        file.write(content)


def copy_whole(source: Path, target: Path) -> None:
    """Copy a file atomically."""
    with source.open("rb") as source_file, replacing(target) as written:
        while piece := source_file.read(1024 * 1024):
            written.write(piece)


def write_pieces(path: Path, pieces: Iterator[bytes]) -> str:
    """Write a file of these pieces atomically; returns its SHA-256."""
    digest = hashlib.sha256()
    with replacing(path) as file:
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


# The manifest of a release, and the dataset card made from it.


FORMAT = "touchstone-release-1"
ASIDE = ("key", "provenance")


@dataclass
class Counts:
    """Counts of rows by state, group, language and split, and by every fact with few possible values."""

    kind: Kind
    by: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    guidelines: Counter[str] = field(default_factory=Counter)
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
        for name in named_values(self.kind):
            self.by[name][str(row.get(name, ""))] += 1
        self.authorship.add(provenance.get("authorship"))
        if provenance.get("guideline_version"):
            self.guidelines[str(provenance["guideline_version"])] += 1

    def as_json(self) -> dict[str, dict[str, int]]:
        return {dimension: dict(sorted(values.items())) for dimension, values in self.by.items()}


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
    """The dataset card in Markdown: the manifest in words, for people who find the file somewhere."""
    kind = release.project.kind
    names = release.manifest["fields"]
    fields = {
        "facts": [name for name in names if name in kind.fact_names],
        "draft": [name for name in names if name not in kind.fact_names],
    }
    with override("en"):  # a file for everybody, not a page for one person
        return render_to_string("files/card.md", {"manifest": release.manifest, "kind": kind} | fields)
