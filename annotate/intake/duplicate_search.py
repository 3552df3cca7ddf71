"""Near-duplicate items of a project: found by a worker, decided by a lead; the dropped one gets reason `duplicate`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from django.db import transaction
from django.db.models import Case, CharField, F, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import bell
from annotate.errors import WrongState
from annotate.formats.chatlog.conversations import scenarios_of
from annotate.items import actions
from annotate.items.actions import NotApplicable
from annotate.kinds.contract import Kind
from annotate.kinds.values import BadShape
from annotate.models import AlikePair, AlikeSearch, Item, Project, User
from lib.texts.near_duplicates import candidates, resemblance, shingles

THRESHOLD = 0.7
LEASE = timedelta(minutes=10)
TOGETHER = 500  # pairs whose texts are compared at once
MOST = 50_000  # pairs that one search keeps
SCOPES = ("one", "several")  # of survey cases: both by one participant, or by two


@dataclass(frozen=True)
class DuplicatePair:
    """A pair with the texts that were compared."""

    stored: AlikePair
    first: str
    second: str


def suits(project: Project) -> bool:
    """Whether the project's items are asked by people, so that two of them can ask the same."""
    return bool(scenarios_of(project.kind_slug))


def ask(project: Project, *, by: User, threshold: float = THRESHOLD) -> AlikeSearch:
    """Have a worker search; undecided pairs of an earlier search are found again."""
    defaults = {"threshold": threshold, "asked_by": by, "asked_at": timezone.now(), "finished_at": None}
    with transaction.atomic():
        search, _made = AlikeSearch.objects.update_or_create(project=project, defaults=defaults)
        bell.ring("find_alike", search.pk)
    return search


def claimable() -> list[int]:
    return list(AlikeSearch.objects.filter(_free()).order_by("pk").values_list("pk", flat=True))


def work(pk: int) -> None:
    """Search, unless it is done or another worker has it. Idempotent."""
    now = timezone.now()
    if AlikeSearch.objects.filter(_free(), pk=pk).update(lease_until=now + LEASE):
        search(AlikeSearch.objects.select_related("project").get(pk=pk))


def _free() -> Q:
    return Q(finished_at=None) & (Q(lease_until=None) | Q(lease_until__lt=timezone.now()))


def search_now(project: Project, *, threshold: float = THRESHOLD) -> AlikeSearch:
    """Search at once, for a command: no worker is needed."""
    defaults = {"threshold": threshold, "asked_by": None, "asked_at": timezone.now(), "finished_at": None}
    alike_search, _made = AlikeSearch.objects.update_or_create(project=project, defaults=defaults)
    search(alike_search)
    return alike_search


def search(alike_search: AlikeSearch) -> None:
    """Compare the texts of all work items that are not dropped; replace the undecided pairs by the new ones."""
    reader = _Reader(alike_search.project)
    pairs = list(islice(_alike(reader, alike_search.threshold), MOST))
    with transaction.atomic():
        AlikePair.objects.filter(project=alike_search.project, decision="").delete()
        AlikePair.objects.bulk_create(pairs, ignore_conflicts=True, batch_size=TOGETHER)
        alike_search.items, alike_search.pairs = reader.read, len(pairs)
        alike_search.lease_until, alike_search.finished_at = None, timezone.now()
        alike_search.save(update_fields=["items", "pairs", "lease_until", "finished_at"])


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
            raise WrongState(_("Somebody has decided about this pair already."))
        away = {"first": pair.second, "second": pair.first}.get(decision)
        kept_item = {"first": pair.first, "second": pair.second}.get(decision)
        if away is None or kept_item is None:
            return
        note = _("Nearly the same as %(key)s.") % {"key": kept_item.key}
        try:
            actions.drop(away, by=by, reason="duplicate", note=note)
        except NotApplicable as exclusion:
            raise WrongState(str(exclusion.why.label)) from exclusion
