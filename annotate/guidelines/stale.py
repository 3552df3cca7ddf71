"""Items that a change of guidelines, or of own questions, made stale, and an estimate of the work to do them again.

An item is stale if its text is older than a change to a section about it, or to a question that it answers.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.models import Annotation, Definition, Guideline, Item, Project, Slot
from annotate.models.items import ItemQuerySet
from annotate.option_forms.forms import Effect
from annotate.project.overview import TOO_FEW
from lib.stats.intervals import median_interval
from lib.texts.sections import Scope, SectionChange, changes

ACCEPTED, UNDER_WAY = "accepted", "review"
Cause = Guideline | Definition
DECIDING = (Item.State.REVIEWING, Item.State.ADJUDICATING)


@dataclass(frozen=True, kw_only=True)
class StaleFilters:
    """Filters of stale items; an empty value filters nothing. section: the title of a changed section, or a question.

    state: accepted (these can be reopened), or review (their deciders see the newest guidelines).
    """

    q: str = ""
    state: str = ACCEPTED
    section: str = ""
    group: str = ""
    language: str = ""
    version: int | None = None

    def given(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value not in ("", None)}


@dataclass(frozen=True)
class ChangesSince:
    """Changes between older versions and `cause`: version -> changes; unchanged versions are left out."""

    cause: Cause
    changes: Mapping[int, Sequence[SectionChange]]

    @property
    def column(self) -> str:
        """Of an annotation: the version that it was written under."""
        return "schema" if isinstance(self.cause, Definition) else "guideline_version"

    @property
    def sections(self) -> list[str]:
        """The titles of all changed sections, once each; "" is the text above the first heading."""
        return list(
            dict.fromkeys(change.title for version_changes in self.changes.values() for change in version_changes)
        )

    def why(self, version: int | None, group: str) -> list[SectionChange]:
        """The changes that concern an item of this group whose text is from that version."""
        version_changes = self.changes.get(version or 0, ())
        return [change for change in version_changes if any(_is_about(scope, group) for scope in change.scopes)]


def since(cause: Cause) -> ChangesSince:
    """One query, whatever the number of items. The newest version of a definition alone has changes."""
    if isinstance(cause, Definition):
        return _since_definition(cause)
    return _since_guideline(cause)


def _since_definition(definition: Definition) -> ChangesSince:
    """A change of a question is about every item."""
    versions = definition.project.kind.versions  # type: ignore[attr-defined]  # of the kind form alone
    if versions.number != definition.version:
        return ChangesSince(definition, {})
    everything = (Scope((), ()),)
    changes_by_version = {
        version: [SectionChange((name,), how, everything) for name, how in versions.changed_since(version)]
        for version in range(definition.version - 1, 0, -1)
    }
    return ChangesSince(definition, {version: found for version, found in changes_by_version.items() if found})


def _since_guideline(guideline: Guideline) -> ChangesSince:
    older = guideline.project.guidelines.filter(version__lt=guideline.version).order_by("-version")
    changes_by_version = {
        version: changes(text, guideline.text) for version, text in older.values_list("version", "text")
    }
    return ChangesSince(
        guideline,
        {version: version_changes for version, version_changes in changes_by_version.items() if version_changes},
    )


def stale(staleness: ChangesSince, filters: StaleFilters) -> ItemQuerySet:
    """The stale work items, unordered; none where no version changed anything about them.

    An item that was accepted without a person's text, such as an imported one, has no version and is not among them.
    """
    items = Item.objects.counted().filter(project_id=staleness.cause.project_id)
    items = items.filter(_touched(staleness, filters)) if staleness.changes else items.none()
    for column in ("group", "language"):
        if value := getattr(filters, column):
            items = items.filter(**{column: value})
    if filters.q:
        items = items.filter(Q(key__icontains=filters.q) | Q(title__icontains=filters.q))
    return items


def without_version(cause: Cause) -> int:
    """How many accepted work items cannot be stale by this cause: no person wrote their text under a known version."""
    accepted = Item.objects.counted().filter(project=cause.project_id, state=Item.State.ACCEPTED)
    if isinstance(cause, Definition):
        return accepted.exclude(base__authored=True).count()
    return accepted.filter(base__guideline_version=None).count()


GUIDELINES, QUESTIONS = "guidelines", "questions"


def causes(project: Project) -> dict[str, Cause]:
    """What can make items of the project stale, in its newest version: guidelines, and own questions."""
    newest: dict[str, Cause | None] = {GUIDELINES: project.guideline}
    if project.kind.defined:
        newest[QUESTIONS] = project.definitions.first()
    found = {name: cause for name, cause in newest.items() if cause}
    for cause in found.values():
        cause.project = project
    return found


def _touched(staleness: ChangesSince, filters: StaleFilters) -> Q:
    """One condition per set of versions since which the same scopes have changed."""
    versions: dict[frozenset[Scope], list[int]] = defaultdict(list)
    for version, version_changes in staleness.changes.items():
        meant = [change for change in version_changes if not filters.section or change.title == filters.section]
        if meant and filters.version in (None, version):
            versions[frozenset(scope for change in meant for scope in change.scopes)].append(version)
    touched = Q(pk__in=[])
    for scopes, of_these in versions.items():
        touched |= _written_under(staleness, of_these, scopes, filters.state)
    return touched


def _written_under(staleness: ChangesSince, versions: Sequence[int], scopes: frozenset[Scope], state: str) -> Q:
    project, under = staleness.cause.project, {f"{staleness.column}__in": versions}
    if state == ACCEPTED:
        condition = Q()
        for scope in scopes:
            condition |= _of_groups(scope, "group") & _with_fields(project, scope, "base__draft")
        of_people = Q(base__authored=True) if staleness.column == "schema" else Q()
        in_base = Q(**{f"base__{column}": value for column, value in under.items()})
        return Q(state=Item.State.ACCEPTED) & in_base & of_people & condition
    texts = Annotation.objects.filter(
        item=OuterRef("pk"), authored=True, submitted_at__isnull=False, slot__round=OuterRef("round")
    )
    condition = Q()
    for scope in scopes:
        condition |= _of_groups(scope, "item__group") & _with_fields(project, scope, "draft")
    return Q(state__in=DECIDING) & Q(Exists(texts.filter(condition, **under)))


def _of_groups(scope: Scope, column: str) -> Q:
    """Of one of the groups; an item without a group may be of any."""
    return Q(**{f"{column}__in": [*scope.groups, ""]}) if scope.groups else Q(pk__isnull=False)


def _with_fields(project: Project, scope: Scope, column: str) -> Q:
    """With one of the fields in its text. A field that every draft has needs no look into the texts."""
    if not scope.fields or not all(map(project.kind.is_optional, scope.fields)):
        return Q(pk__isnull=False)
    return Q(**{f"{column}__has_any_keys": list(scope.fields)})


def _is_about(scope: Scope, group: str) -> bool:
    return not scope.groups or not group or group in scope.groups


def with_versions(items: ItemQuerySet, staleness: ChangesSince) -> Any:
    """The items, each with the version under which its text was written as `version`."""
    return items.annotate(version=F(f"base__{staleness.column}"))


# The preview of a version that is not stored yet.


def effects(project: Project, text: str) -> list[Effect]:
    """What this text would make stale if it were the next version; nothing if it is the stored one."""
    newest = project.guideline
    if newest is None or newest.text.replace("\r\n", "\n") == text:
        return []
    now = since(Guideline(project=project, version=newest.version, text=newest.text))
    then = since(Guideline(project=project, version=newest.version + 1, text=text))
    counted = [
        _newly_stale(now, then, ACCEPTED, _accepted_words),
        _newly_stale(now, then, UNDER_WAY, _under_way_words),
    ]
    counted = [effect for effect in counted if effect.n]
    return counted or [Effect(_("No submitted item becomes stale by this change."), 0)]


def _newly_stale(now: ChangesSince, then: ChangesSince, state: str, words: Any) -> Effect:
    filters = StaleFilters(state=state)
    items = stale(then, filters).exclude(pk__in=stale(now, filters).values("pk"))
    n = items.count()
    return Effect(words(n) % {"n": n}, n, stops=True)


def _accepted_words(n: int) -> str:
    return ngettext(
        "%(n)d accepted item becomes stale. After saving you choose which to reopen.",
        "%(n)d accepted items become stale. After saving you choose which to reopen.",
        n,
    )


def _under_way_words(n: int) -> str:
    return ngettext(
        "%(n)d submitted text is decided by other guidelines than it was written by.",
        "%(n)d submitted texts are decided by other guidelines than they were written by.",
        n,
    )


# The estimate: the number of items times the time that people usually take.


RECENT = 1000  # of the newest submissions are the median taken


@dataclass(frozen=True)
class StageEstimate:
    """The time of one stage: median minutes of n submissions with its 95 % interval; None where unknown.

    times: how many submissions an item needs on average under the project's current settings.
    """

    stage: str
    times: float
    n: int
    minutes: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class WorkEstimate:
    """Minutes for all items together, over the steps that have recorded times.

    The bounds are the sums of the steps' bounds: wider than 95 %, never narrower.
    """

    items: int
    steps: Sequence[StageEstimate]

    @property
    def minutes(self) -> float | None:
        return self._sum([step.minutes for step in self.steps])

    @property
    def low(self) -> float | None:
        return self._sum([step.low for step in self.steps])

    @property
    def high(self) -> float | None:
        return self._sum([step.high for step in self.steps])

    @property
    def n(self) -> int:
        """The smallest n of the steps, without the steps that have no recorded times."""
        return min((step.n for step in self.steps if step.n), default=0)

    @property
    def too_few(self) -> bool:
        return self.n < TOO_FEW

    def _sum(self, minutes: Sequence[float | None]) -> float | None:
        durations = [
            duration * step.times for duration, step in zip(minutes, self.steps, strict=True) if duration is not None
        ]
        return self.items * sum(durations) if durations else None

    @property
    def untimed(self) -> list[StageEstimate]:
        """Steps without recorded times: they are not in the sums."""
        return [step for step in self.steps if not step.n]


def estimate(project: Project, items: int, *, group: str = "") -> WorkEstimate:
    """Estimate from the active time of the newest submissions of work items, of one group if given. Two queries.

    Work that starts from the accepted text is faster than work from nothing, so this is rather too high than too low.
    """
    stages = [(Slot.Stage.ANNOTATE, _writings(project)), (Slot.Stage.REVIEW, _reviews(project))]
    return WorkEstimate(items, [_step(project, stage, times, group) for stage, times in stages if times])


def _step(project: Project, stage: str, times: float, group: str) -> StageEstimate:
    timed = Annotation.objects.filter(
        slot__project=project,
        slot__stage=stage,
        submitted_at__isnull=False,
        active_seconds__gt=0,
        item__purpose=Item.Purpose.WORK,
    )
    if group:
        timed = timed.filter(item__group=group)
    seconds = list(timed.order_by("-submitted_at").values_list("active_seconds", flat=True)[:RECENT])
    interval = median_interval(seconds)
    low, high = (interval.low / 60, interval.high / 60) if interval else (None, None)
    return StageEstimate(stage, times, len(seconds), median(seconds) / 60 if seconds else None, low, high)


def _writings(project: Project) -> float:
    return 1 + (project.overlap - 1) * float(project.overlap_share if project.overlap > 1 else 0)


def _reviews(project: Project) -> float:
    """Items that several people write on are compared instead of reviewed."""
    if not project.reviews:
        return 0
    review_count = 1 + (float(project.second_share) if project.reviews > 1 else 0)
    return review_count * (1 - float(project.overlap_share) if project.overlap > 1 else 1)
