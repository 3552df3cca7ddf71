"""Which rows are new, which repeat others, and which are about items that are stored already."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from annotate.formats.rows import Problem
from annotate.models import Batch, Item, Project
from annotate.services.importing.rows import Policy, Prepared
from annotate.services.importing.seen import Place, Seen
from lib.texts.said import say as _

Read = Prepared | Problem


@dataclass
class Sorted:
    """Rows by what becomes of them; each repetition has the warning that says what it repeats."""

    new: list[Prepared] = field(default_factory=list)
    known: list[tuple[Prepared, Item]] = field(default_factory=list)
    repeated: list[Problem] = field(default_factory=list)


class Neighbours:
    """The keys and contents of a project's items that are not of this import, so that most rows need no look-up.

    Read on under the project's lock before each chunk. Of very many neighbours nothing is kept, and every row is
    looked up.
    """

    MOST = 50_000

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._known: set[str] = set()
        self._read_up_to = 0
        self._too_many = False

    def read_on(self) -> None:
        if self._too_many:
            return
        later = Item.objects.filter(project_id=self._batch.project_id, pk__gt=self._read_up_to)
        other_rows = later.exclude(batch=self._batch).order_by("pk").values_list("pk", "key", "content_hash")
        for pk, key, content in other_rows[: self.MOST].iterator():
            self._known |= {key, content}
            self._read_up_to = pk
        self._too_many = len(self._known) >= self.MOST

    def own_up_to(self, item: int) -> None:
        """Everything up to here was read, or is of this import."""
        self._read_up_to = max(self._read_up_to, item)

    def may_be_stored(self, row: Prepared) -> bool:
        return self._too_many or row.key in self._known or row.content_hash in self._known


def without_repetitions(read_rows: Iterable[Read], seen_rows: Seen, file: str) -> tuple[list[Prepared], list[Problem]]:
    """The good rows that come for the first time, and a warning for each that repeats one read before."""
    new_rows, repeated = [], []
    for row in read_rows:
        if isinstance(row, Problem) or row.rejected:
            continue
        earlier_place = seen_rows.add(_place(row, file))
        if earlier_place is not None and row.key_by_place and earlier_place.content != row.content_hash:
            row = row.under_its_content()
            earlier_place = seen_rows.add(_place(row, file))
        if earlier_place is None:
            new_rows.append(row)
        else:
            repeated.append(Problem(file, row.line, *_of_the_file(row, earlier_place, file), "warning"))
    return new_rows, repeated


def _place(row: Prepared, file: str) -> Place:
    return Place(file, row.line, row.key, row.content_hash)


def sort(
    project: Project, rows: Sequence[Prepared], *, policy: Policy, file: str, neighbours: Neighbours | None = None
) -> Sorted:
    """Look the rows up among the stored items: by key first, then by content. neighbours: who need not be looked up."""
    by_key, by_content = _stored(project, [row for row in rows if neighbours is None or neighbours.may_be_stored(row)])
    sorted_rows = Sorted()
    for row in rows:
        item = by_key.get(row.key)
        if item is not None and row.key_by_place and item.content_hash != row.content_hash:
            row, item = row.under_its_content(), None
        item = item or by_content.get(row.content_hash)
        if item is None:
            sorted_rows.new.append(row)
        elif policy == "skip":
            sorted_rows.repeated.append(Problem(file, row.line, *of_the_store(row, item), "warning"))
        else:
            sorted_rows.known.append((row, item))
    return sorted_rows


def _stored(project: Project, rows: Sequence[Prepared]) -> tuple[dict[str, Item], dict[str, Item]]:
    if not rows:
        return {}, {}
    items = Item.objects.filter(project=project).defer("facts")
    by_key = {item.key: item for item in items.filter(key__in=[row.key for row in rows])}
    contents = [row.content_hash for row in rows if row.key not in by_key or row.key_by_place]
    by_content = {item.content_hash: item for item in items.filter(content_hash__in=contents).order_by("-id")}
    return by_key, by_content


def _of_the_file(row: Prepared, earlier_place: Place, file: str) -> tuple[str, str]:
    position = {"line": earlier_place.line, "file": earlier_place.file, "key": row.key}
    where = _("line %(line)s") if earlier_place.file == file else _("line %(line)s of %(file)s")
    params = position | {"where": where % position}
    if earlier_place.key != row.key:
        return "", _("The same content stands in %(where)s already; that one counts.") % params
    if earlier_place.content != row.content_hash:
        return "key", _("The key “%(key)s” stands in %(where)s already, with other facts; that one counts.") % params
    return "key", _("The key “%(key)s” stands in %(where)s already; that one counts.") % params


def of_the_store(row: Prepared, item: Item) -> tuple[str, str]:
    """(path, message): what the row has in common with the stored item."""
    if item.key != row.key:
        return "", _("The same content is stored already, as “%(key)s”.") % {"key": item.key}
    if item.content_hash != row.content_hash:
        message = _("The key “%(key)s” is stored already, with other facts; they stay as they are.")
        return "key", message % {"key": item.key}
    return "key", _("The key “%(key)s” is stored already.") % {"key": item.key}
