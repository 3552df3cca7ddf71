"""Near-duplicate items of a project: found by a worker, decided by a lead; the dropped one gets reason `duplicate`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Case, CharField, F, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import bell
from annotate.audit.trail import record
from annotate.engine.chores import Leases, Parts, finish
from annotate.errors import WrongState
from annotate.items import actions
from annotate.items.actions import NotApplicable
from annotate.kinds.contract import Kind
from annotate.kinds.values import BadShape
from annotate.models import AlikePair, AlikeSearch, Item, Project, User
from lib.texts.near_duplicates import candidates, resemblance, shingles

THRESHOLD = 0.7
TOGETHER = 500  # pairs whose texts are compared at once
MOST = 50_000  # pairs that one search keeps
SCOPES = ("one", "several")  # of survey cases: both by one participant, or by two
# Of two workers, and of two requests, the first to finish the last request is the one whose pairs are stored.
leases = Leases(AlikeSearch, Q(finished_at=None), timedelta(minutes=10), fence="asked_at", related=("project",))


@dataclass(frozen=True)
class DuplicatePair:
    """A pair with the texts that were compared."""

    stored: AlikePair
    first: str
    second: str


def ask(project: Project, *, by: User, threshold: float = THRESHOLD) -> AlikeSearch:
    """Have a worker search; undecided pairs of an earlier search are found again."""
    with transaction.atomic():
        alike_search = _request(project, threshold, by, lease_until=None)
        bell.ring("find_alike", alike_search.pk)
        record("duplicates.searched", project, after={"threshold": threshold})
    return alike_search


def search_now(project: Project, *, threshold: float = THRESHOLD) -> AlikeSearch:
    """Search at once, for a command: no worker is needed. Raises LeaseLost if somebody asks for another meanwhile."""
    alike_search = _request(project, threshold, None, **leases.held())
    finish(search(alike_search))
    leases.end(alike_search)
    return alike_search


def _request(project: Project, threshold: float, by: User | None, **lease: Any) -> AlikeSearch:
    columns = {"threshold": threshold, "asked_by": by, "asked_at": timezone.now(), "finished_at": None} | lease
    return AlikeSearch.objects.update_or_create(project=project, defaults=columns)[0]


def search(alike_search: AlikeSearch) -> Parts:
    """Compare the texts of all work items that are not dropped; replace the undecided pairs by the new ones.

    Nothing is stored before the end. Raises LeaseLost if the search is finished by then, or was asked for anew.
    """
    reader, pairs = _Reader(alike_search.project), list[AlikePair]()
    for pair in islice(_alike(reader, alike_search.threshold), MOST):
        pairs.append(pair)
        if len(pairs) % TOGETHER == 0:
            yield TOGETHER
    with transaction.atomic():
        leases.keep(alike_search, items=reader.read, pairs=len(pairs), finished_at=timezone.now())
        AlikePair.objects.filter(project=alike_search.project, decision="").delete()
        AlikePair.objects.bulk_create(pairs, ignore_conflicts=True, batch_size=TOGETHER)


class _Reader:
    """The texts of a project's items, by id. read: how many items were read."""

    def __init__(self, project: Project) -> None:
        self.project, self.kind, self.read = project, project.kind, 0
        self._items = project.items.counted().exclude(state=Item.State.DROPPED)

    def all(self) -> Iterator[tuple[int, str]]:
        for item in self._items.order_by("pk").only("facts", "schema").iterator(chunk_size=TOGETHER):
            if text := text_of(self.kind, item):
                self.read += 1
                yield item.pk, text

    def some(self, ids: Iterable[int]) -> dict[int, frozenset[str]]:
        items = self._items.filter(pk__in=set(ids)).only("facts", "schema")
        return {item.pk: shingles(text_of(self.kind, item)) for item in items}


def text_of(kind: Kind, item: Item) -> str:
    """The text by which two items are compared; nothing if the facts cannot be read."""
    try:
        return kind.reading_text(kind.read_facts(kind.upgrade(item.facts, item.schema)))
    except BadShape:
        return ""


def _alike(reader: _Reader, threshold: float) -> Iterator[AlikePair]:
    maybe = candidates(reader.all(), threshold=threshold)
    while batch := list(islice(maybe, TOGETHER)):
        shingles_by_id = reader.some(pk for pair in batch for pk in pair)
        for first, second in batch:
            likeness = resemblance(shingles_by_id.get(first, frozenset()), shingles_by_id.get(second, frozenset()))
            if likeness >= threshold:
                yield AlikePair(project=reader.project, first_id=first, second_id=second, likeness=round(likeness, 4))


def pairs_of(project: Project, *, decided: bool = False, scope: str = "") -> QuerySet[AlikePair]:
    """Pairs, the most similar first; open ones only if both items still exist. scope: see SCOPES; "" for all."""
    pairs = AlikePair.objects.filter(project=project)
    if decided:
        pairs = pairs.exclude(decision="").order_by("-decided_at", "-pk")
    else:
        both_present = ~Q(first__state=Item.State.DROPPED) & ~Q(second__state=Item.State.DROPPED)
        pairs = pairs.filter(both_present, decision="").order_by("-likeness", "pk")
    first, second = F("first__reported__participant"), F("second__reported__participant")
    reported = Q(first__reported__isnull=False, second__reported__isnull=False)
    cases = [
        When(reported & Q(first__reported__participant=second), then=Value("one")),
        When(reported & ~Q(second__reported__participant=first), then=Value("several")),
    ]
    pairs = pairs.annotate(participants=Case(*cases, default=Value(""), output_field=CharField()))
    return pairs.filter(participants=scope) if scope in SCOPES else pairs


def with_texts(project: Project, pairs: Sequence[AlikePair]) -> list[DuplicatePair]:
    kind = project.kind
    return [DuplicatePair(pair, text_of(kind, pair.first), text_of(kind, pair.second)) for pair in pairs]


def decide(pair: AlikePair, decision: str, *, by: User) -> None:
    """Keep both, or keep one and drop the other as a duplicate. Raises WrongState if somebody decided or moved it."""
    with transaction.atomic():
        undecided_pair = AlikePair.objects.filter(pk=pair.pk, decision="")
        if not undecided_pair.update(decision=decision, decided_by=by, decided_at=timezone.now()):
            raise WrongState(_("Someone has already decided on this pair."))
        keys = {"first": pair.first.key, "second": pair.second.key}
        record("duplicates.decided", pair, after={"decision": decision, **keys})
        away = {"first": pair.second, "second": pair.first}.get(decision)
        kept_item = {"first": pair.first, "second": pair.second}.get(decision)
        if away is None or kept_item is None:
            return
        note = _("Nearly the same as %(key)s.") % {"key": kept_item.key}
        try:
            actions.drop(away, by=by, reason="duplicate", note=note)
        except NotApplicable as exclusion:
            raise WrongState(str(exclusion.why.label)) from exclusion
