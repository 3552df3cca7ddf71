"""The files of training data as one zip, piece by piece: nothing of it is stored, and none of it waits for the rest."""

import zipfile
from collections import Counter
from collections.abc import Iterator
from io import RawIOBase
from typing import Any

from annotate.models import Project
from annotate.services.releasing.training import MANIFEST
from judging.services.training.base import FILES, Chosen
from judging.services.training.counting import Counts
from judging.services.training.files import CARD, Written, card, file_name, manifest, manifest_bytes
from judging.services.training.gathering import DUPLICATE, rows

PIECE = 256 * 1024


class _Out(RawIOBase):
    """What was written since somebody took it."""

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


def packed(project: Project, selection: Chosen, *, licence: str = "") -> Iterator[bytes]:
    """A zip of the files, card and manifest. Goes over the project once for each file, so that none is held."""
    out, counts = _Out(), Counts(splits=list(selection.filters.splits))
    files = [Written(file_name(file)) for file in FILES]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
        for file, written in zip(FILES, files, strict=True):
            yield from _file(pack, out, file, written, (project, selection, counts))
        manifest_content = manifest(project, selection, counts, files, licence=licence)
        pack.writestr(CARD, card(manifest_content))
        pack.writestr(MANIFEST, manifest_bytes(manifest_content))
    yield out.taken()


def _file(
    pack: zipfile.ZipFile, out: _Out, file: str, written: Written, about: tuple[Project, Chosen, Counts]
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
    """Every pass meets the same items, and its own duplicates."""
    for why, count in counts.items():
        totals[why] = totals[why] + count if why == DUPLICATE else max(totals[why], count)
