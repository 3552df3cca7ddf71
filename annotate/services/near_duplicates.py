"""Items of a project that ask nearly the same: found by a worker, decided by a lead; dropped ones say `duplicate`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from django.db import transaction
from django.db.models import Case, CharField, F, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import bell
from annotate.formats.chatlog.scenarios import scenarios_of
from annotate.kinds.base import Kind
from annotate.kinds.values import BadShape
from annotate.models import AlikePair, AlikeSearch, Item, Project, User
from annotate.services import leading
from annotate.services.errors import WrongState
from annotate.services.leading import LeftOut
from lib.texts.near_duplicates import candidates, resemblance, shingles

THRESHOLD = 0.7
LEASE = timedelta(minutes=10)
TOGETHER = 500  # pairs whose texts are compared at once
MOST = 50_000  # pairs that are kept of one search
SCOPES = ("one", "several")  # of survey cases: both by one participant, or by two


@dataclass(frozen=True)
class Pair:
    """A pair with its texts as they were compared."""

    stored: AlikePair
    first: str
    second: str


def suits(project: Project) -> bool:
    """Whether its items are asked by people, so that two of them may ask the same."""
    return bool(scenarios_of(project.kind_slug))


def ask(project: Project, *, by: User, threshold: float = THRESHOLD) -> AlikeSearch:
    """Have a worker search; what is undecided from an earlier search is found anew."""
    asked = {"threshold": threshold, "asked_by": by, "asked_at": timezone.now(), "finished_at": None}
    with transaction.atomic():
        search, _made = AlikeSearch.objects.update_or_create(project=project, defaults=asked)
        bell.ring("find_alike", search.pk)
    return search


def claimable() -> list[int]:
    return list(AlikeSearch.objects.filter(_free()).order_by("pk").values_list("pk", flat=True))


def work(pk: int) -> None:
    """Search, unless it is done or somebody else is at it. Doing it twice finds the same."""
    now = timezone.now()
    if AlikeSearch.objects.filter(_free(), pk=pk).update(lease_until=now + LEASE):
        search(AlikeSearch.objects.select_related("project").get(pk=pk))


def _free() -> Q:
    return Q(finished_at=None) & (Q(lease_until=None) | Q(lease_until__lt=timezone.now()))


def search_now(project: Project, *, threshold: float = THRESHOLD) -> AlikeSearch:
    """For a command: no worker is needed."""
    asked = {"threshold": threshold, "asked_by": None, "asked_at": timezone.now(), "finished_at": None}
    made, _made = AlikeSearch.objects.update_or_create(project=project, defaults=asked)
    search(made)
    return made


def search(asked: AlikeSearch) -> None:
    """Compare the texts of all work items that are not dropped; replace the undecided pairs by what is found."""
    reader = _Reader(asked.project)
    found = list(islice(_alike(reader, asked.threshold), MOST))
    with transaction.atomic():
        AlikePair.objects.filter(project=asked.project, decision="").delete()
        AlikePair.objects.bulk_create(found, ignore_conflicts=True, batch_size=TOGETHER)
        asked.items, asked.pairs = reader.read, len(found)
        asked.lease_until, asked.finished_at = None, timezone.now()
        asked.save(update_fields=["items", "pairs", "lease_until", "finished_at"])


class _Reader:
    """The texts of a project's items, by id. read: of how many one was read."""

    def __init__(self, project: Project) -> None:
        self.project, self.kind, self.read = project, project.kind, 0
        self._items = project.items.counted().exclude(state=Item.State.DROPPED)

    def all(self) -> Iterator[tuple[int, str]]:
        for item in self._items.order_by("pk").only("facts", "schema").iterator(chunk_size=TOGETHER):
            if text := text_of(self.kind, item):
                self.read += 1
                yield item.pk, text

    def some(self, ids: Iterable[int]) -> dict[int, frozenset[str]]:
        found = self._items.filter(pk__in=set(ids)).only("facts", "schema")
        return {item.pk: shingles(text_of(self.kind, item)) for item in found}


def text_of(kind: Kind, item: Item) -> str:
    """What two items are compared by; nothing of facts that do not read."""
    try:
        return kind.reading_text(kind.read_facts(kind.upgrade(item.facts, item.schema)))
    except BadShape:
        return ""


def _alike(reader: _Reader, threshold: float) -> Iterator[AlikePair]:
    maybe = candidates(reader.all(), threshold=threshold)
    while together := list(islice(maybe, TOGETHER)):
        known = reader.some(pk for pair in together for pk in pair)
        for first, second in together:
            likeness = resemblance(known.get(first, frozenset()), known.get(second, frozenset()))
            if likeness >= threshold:
                yield AlikePair(project=reader.project, first_id=first, second_id=second, likeness=round(likeness, 4))


def pairs_of(project: Project, *, decided: bool = False, scope: str = "") -> QuerySet[AlikePair]:
    """The most alike first. Open ones only where both items are still there. scope: see SCOPES; "" is all."""
    found = AlikePair.objects.filter(project=project)
    if decided:
        found = found.exclude(decision="").order_by("-decided_at", "-pk")
    else:
        there = ~Q(first__state=Item.State.DROPPED) & ~Q(second__state=Item.State.DROPPED)
        found = found.filter(there, decision="").order_by("-likeness", "pk")
    first, second = F("first__reported__participant"), F("second__reported__participant")
    reported = Q(first__reported__isnull=False, second__reported__isnull=False)
    said = [
        When(reported & Q(first__reported__participant=second), then=Value("one")),
        When(reported & ~Q(second__reported__participant=first), then=Value("several")),
    ]
    found = found.annotate(participants=Case(*said, default=Value(""), output_field=CharField()))
    return found.filter(participants=scope) if scope in SCOPES else found


def with_texts(project: Project, pairs: Sequence[AlikePair]) -> list[Pair]:
    kind = project.kind
    return [Pair(one, text_of(kind, one.first), text_of(kind, one.second)) for one in pairs]


def decide(pair: AlikePair, decision: str, *, by: User) -> None:
    """Keep both, or one and drop the other as a duplicate. Raises WrongState if somebody decided, or moved it."""
    with transaction.atomic():
        mine = AlikePair.objects.filter(pk=pair.pk, decision="")
        if not mine.update(decision=decision, decided_by=by, decided_at=timezone.now()):
            raise WrongState(_("Somebody has decided about this pair already."))
        away = {"first": pair.second, "second": pair.first}.get(decision)
        kept = {"first": pair.first, "second": pair.second}.get(decision)
        if away is None or kept is None:
            return
        note = _("Nearly the same as %(key)s.") % {"key": kept.key}
        try:
            leading.drop(away, by=by, reason="duplicate", note=note)
        except LeftOut as left_out:
            raise WrongState(str(left_out.why.label)) from left_out
