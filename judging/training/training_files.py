"""Files of training data: all rows of a project, their counts, JSON lines with manifest and dataset card, and a zip.

Every row occurs once, in an order that stays the same while the project does not change.
"""

import hashlib
import json
import shlex
import sqlite3
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from io import RawIOBase
from pathlib import Path
from typing import Any

from django.db.models import Count, Max
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import override

from annotate.durable import move, sync
from annotate.models import Annotation, Erasure, Item, Project
from annotate.releases.actions import item_chunks
from annotate.releases.files import line_of, write_whole
from annotate.releases.manifests import software_version
from annotate.releases.verify_files import MANIFEST, TRAINING_FORMAT
from judging.cache import cached
from judging.models import Answer, Study, Verdict
from judging.training import trees, verdict_examples
from judging.training.chats import BRANCHING, BRIDGED, FILES, PAIRS, SPLITS, STEPS, Example, TrainingChoice

DUPLICATE = "said before, word for word"
Row = tuple[str, dict[str, Any]]


class SeenTexts:
    """Content seen before. Stored in a temporary file, so that memory does not grow with the rows."""

    def __init__(self) -> None:
        self._kept = sqlite3.connect("")
        self._kept.execute("CREATE TABLE seen (digest INTEGER PRIMARY KEY)")

    def close(self) -> None:
        self._kept.close()

    def is_new(self, content: Any) -> bool:
        # Databases give the names of an object in different orders.
        text = json.dumps(content, ensure_ascii=False, sort_keys=True)
        whole = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        number = int.from_bytes(whole[:8], signed=True)
        return self._kept.execute("INSERT OR IGNORE INTO seen VALUES (?)", [number]).rowcount == 1


def rows(
    project: Project,
    selection: TrainingChoice,
    skip_counts: Counter[str] | None = None,
    *,
    only: Collection[str] = FILES,
) -> Iterator[Row]:
    """(file, row), item by item. skip_counts: gets reason -> count, for all files. only: rows of these files."""
    for example, split in gathered(project, selection, Counter() if skip_counts is None else skip_counts, only):
        yield example.step, example.row(split)


def gathered(
    project: Project, selection: TrainingChoice, skip_counts: Counter[str], only: Collection[str] = FILES
) -> Iterator[tuple[Example, str]]:
    """Examples with their split, before their messages are made."""
    with closing(SeenTexts()) as seen_digests:
        for example in _examples(project, selection, skip_counts, only):
            if example.step not in only:
                continue
            if seen_digests.is_new([example.step, example.said()]):
                yield example, selection.split_of(example.query)
            else:
                skip_counts[DUPLICATE] += 1


def _examples(
    project: Project, selection: TrainingChoice, skip_counts: Counter[str], only: Collection[str]
) -> Iterator[Example]:
    for items in item_chunks(project, selection.filters):
        yield from _of_items(project, items, selection, skip_counts)
    if PAIRS in only:
        yield from verdict_examples.vote_pairs(project, skip_counts)


def _of_items(
    project: Project, items: list[Item], selection: TrainingChoice, skip_counts: Counter[str]
) -> Iterator[Example]:
    yield from trees.examples(project, items, skip_counts)
    yield from verdict_examples.verdict_examples(project, items, selection, skip_counts)
    yield from verdict_examples.correction_examples(project, items, selection)


# Counts of rows by step and split, in the shape of the published table.


TOGETHER = "together"


@dataclass
class TrainingCounts:
    """rows: file -> split -> rows; left_out: reason -> how many."""

    rows: dict[str, Counter[str]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    splits: Sequence[str] = SPLITS

    def add(self, file: str, split: str) -> None:
        self.rows.setdefault(file, Counter())[split] += 1

    def of(self, file: str) -> dict[str, int]:
        """Rows by split, including zeros, and their sum."""
        counts = self.rows.get(file, Counter())
        return {split: counts[split] for split in self.splits} | {TOGETHER: counts.total()}

    def sum_of(self, files: Sequence[str]) -> dict[str, int]:
        file_counts = [self.of(file) for file in files]
        return {name: sum(counts[name] for counts in file_counts) for name in (*self.splits, TOGETHER)}

    def as_json(self) -> dict[str, Any]:
        """steps: every step and its rows by split; branching, bridged: the sums of the published table's two halves."""
        return {
            "steps": {step: self.of(step) for step in STEPS},
            "branching": self.sum_of(BRANCHING),
            "bridged": self.sum_of(BRIDGED),
            "chats": self.sum_of(STEPS),
            "preferences": self.of(PAIRS),
            "left_out": {why: count for why, count in sorted(self.left_out.items()) if count},
        }


def count_rows(project: Project, selection: TrainingChoice) -> TrainingCounts:
    counts = TrainingCounts(splits=list(selection.filters.splits) or [SPLITS[0]])
    for example, split in gathered(project, selection, counts.left_out):
        counts.add(example.step, split)
    return counts


def table(counts: Mapping[str, Any]) -> list[list[str]]:
    """Header and lines of the table for people. counts: as from `as_json`."""
    names = list(counts["chats"])
    lines = [("criteria", "criteria"), ("guidelines", "guidelines"), ("judgements", "judgements")]
    rows = [[name, *_numbers(counts["steps"][step], names)] for name, step in (*lines, ("corrections", "corrections"))]
    rows.append(["together", *_numbers(counts["branching"], names)])
    rows += [[f"recovered {name}", *_numbers(counts["steps"][f"reverse_{step}"], names)] for name, step in lines]
    rows.append(["together, recovered", *_numbers(counts["bridged"], names)])
    rows.append(["all chats", *_numbers(counts["chats"], names)])
    rows.append(["preference pairs", *_numbers(counts["preferences"], names)])
    return [["step", *names], *rows]


def _numbers(counted_rows: Mapping[str, int], names: Sequence[str]) -> list[str]:
    return [f"{counted_rows[name]:,}" for name in names]


# Files: JSON lines for each step, preference pairs, a manifest, a dataset card.


CARD = "README.md"


@dataclass
class WrittenFile:
    """The state of one file while it is written."""

    name: str
    digest: Any = field(default_factory=hashlib.sha256)
    rows: int = 0

    def line(self, row: Mapping[str, Any]) -> bytes:
        line = line_of(row)
        self.digest.update(line)
        self.rows += 1
        return line

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "rows": self.rows, "sha256": self.digest.hexdigest()}


def file_name(file: str) -> str:
    return f"{file}.jsonl"


def manifest(
    project: Project,
    selection: TrainingChoice,
    counts: TrainingCounts,
    files: Iterable[WrittenFile],
    *,
    licence: str = "",
) -> dict[str, Any]:
    filters = selection.filters
    return {
        "format": TRAINING_FORMAT,
        "software": f"touchstone {software_version()}",
        "project": project.slug,
        "name": project.name,
        "kind": project.kind_slug,
        "created": timezone.now().isoformat(timespec="seconds"),
        "licence": licence or project.licence or None,
        "command": command(project, selection, licence=licence),
        "filters": {
            "state": filters.state,
            "groups": filters.groups,
            "languages": filters.languages,
            "judges": selection.judges,
        },
        "splits": {"shares": filters.splits, "seed": filters.seed} if filters.splits else None,
        "counts": counts.as_json(),
        "files": [file.as_json() for file in files],
    }


def command(project: Project, selection: TrainingChoice, *, licence: str = "") -> str:
    """The shell command that writes the same files again."""
    filters = selection.filters
    words = ["export_training", project.slug, "--out", "DIR", "--state", filters.state, "--judges", selection.judges]
    words += [word for group in filters.groups for word in ("--group", group)]
    words += [word for language in filters.languages for word in ("--language", language)]
    words += [word for name, share in filters.splits.items() for word in ("--split", f"{name}={share:g}")]
    words += ["--seed", str(filters.seed)]
    words += ["--licence", licence] if licence and licence != project.licence else []
    return shlex.join(["manage.py", *words])


def manifest_bytes(manifest_content: Mapping[str, Any]) -> bytes:
    return (json.dumps(manifest_content, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def card(manifest_content: Mapping[str, Any]) -> bytes:
    """The dataset card in Markdown, always in English: a file for everybody, not a page for one person."""
    header, *lines = table(manifest_content["counts"])
    with override("en"):
        text = render_to_string(
            "files/training_card.md", {"manifest": manifest_content, "header": header, "lines": lines}
        )
    return text.encode()


def write_folder(
    folder: Path, project: Project, selection: TrainingChoice, rows: Any, *, licence: str = ""
) -> dict[str, Any]:
    """Every file of FILES, even empty ones, then card and manifest; the manifest last, so that it vouches for all.

    rows: a function that takes a counter of left-out rows and yields (file, row). Returns the manifest. Raises OSError.
    """
    (folder / MANIFEST).unlink(missing_ok=True)
    counts = TrainingCounts(splits=list(selection.filters.splits) or ["train"])
    files = {file: WrittenFile(file_name(file)) for file in FILES}
    parts = {file: (folder / f".{file}.part").open("wb") for file in FILES}
    try:
        for file, row in rows(counts.left_out):
            parts[file].write(files[file].line(row))
            counts.add(file, row["split"])
        for file, part in parts.items():
            sync(part)
            part.close()
            move(Path(part.name), folder / file_name(file))
    finally:
        for part in parts.values():
            part.close()
            Path(part.name).unlink(missing_ok=True)
    manifest_content = manifest(project, selection, counts, files.values(), licence=licence)
    write_whole(folder / CARD, card(manifest_content))
    write_whole(folder / MANIFEST, manifest_bytes(manifest_content))
    return manifest_content


# Zip: streamed piece by piece, without storing anything and without waiting for the rest.


PIECE = 256 * 1024


class _Out(RawIOBase):
    """A buffer of the bytes written since they were last taken."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self._pieces.append(bytes(piece))
        self.size += len(piece)
        return len(piece)

    def taken(self) -> bytes:
        content, self._pieces, self.size = b"".join(self._pieces), [], 0
        return content


def packed(project: Project, selection: TrainingChoice, *, licence: str = "") -> Iterator[bytes]:
    """A zip of the files, card and manifest. Reads the project once per file, so that none is held in memory."""
    out, counts = _Out(), TrainingCounts(splits=list(selection.filters.splits))
    files = [WrittenFile(file_name(file)) for file in FILES]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
        for file, written in zip(FILES, files, strict=True):
            yield from _file(pack, out, file, written, (project, selection, counts))
        manifest_content = manifest(project, selection, counts, files, licence=licence)
        pack.writestr(CARD, card(manifest_content))
        pack.writestr(MANIFEST, manifest_bytes(manifest_content))
    yield out.taken()


def _file(
    pack: zipfile.ZipFile,
    out: _Out,
    file: str,
    written: WrittenFile,
    about: tuple[Project, TrainingChoice, TrainingCounts],
) -> Iterator[bytes]:
    project, selection, counts = about
    skip_counts: Counter[str] = Counter()
    with pack.open(written.name, "w", force_zip64=True) as entry:
        yield out.taken()
        for _file_of_row, row in rows(project, selection, skip_counts, only=[file]):
            entry.write(written.line(row))
            counts.add(file, row["split"])
            if out.size > PIECE:
                yield out.taken()
    _count(counts.left_out, skip_counts)
    yield out.taken()


def _count(totals: Counter[str], counts: Counter[str]) -> None:
    """Merge the counts of a pass: every pass sees the same items, but its own duplicates."""
    for why, count in counts.items():
        totals[why] = totals[why] + count if why == DUPLICATE else max(totals[why], count)


# Cached counts: valid until something changes that the rows are made of.


def counts_of(project: Project, selection: TrainingChoice) -> dict[str, Any]:
    """As TrainingCounts.as_json, cached for each state of the project and each choice."""
    state = [project.pk, project.options, _state(project), selection.filters.as_json(), selection.judges]
    word = sha256(repr(state).encode("utf-8", "surrogatepass")).hexdigest()
    return cached("training", word, lambda: count_rows(project, selection).as_json())


def _state(project: Project) -> list[Any]:
    """The state of the project and of those in which people vote on its answers."""
    projects = [project.pk, *Study.objects.filter(source=project).values_list("project", flat=True)]
    items = Item.objects.filter(project__in=projects)
    return [
        items.aggregate(newest=Max("changed_at"), last=Max("pk"), n=Count("pk")),
        Annotation.objects.filter(item__project__in=projects).aggregate(
            newest=Max("submitted_at"), saved=Max("saved_at"), last=Max("pk"), n=Count("pk")
        ),
        Erasure.objects.filter(item__project__in=projects).count(),
        Answer.objects.filter(author__project=project).aggregate(last=Max("pk"), n=Count("pk")),
        Verdict.objects.filter(judge__project=project).aggregate(last=Max("pk"), n=Count("pk")),
    ]
