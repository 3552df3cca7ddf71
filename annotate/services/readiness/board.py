"""A lead's view: who is ready, and how the checks of each went. As many queries however many people there are."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef

from annotate.models import Annotation, Item, Member, Project, Readiness, Slot
from annotate.services.readiness import asking, calibration, checks, places
from annotate.services.readiness.calibration import Standing
from annotate.services.readiness.outcomes import Tally, tally
from annotate.services.readiness.stream import PURPOSES

FEW_CHECKS = 20


@dataclass(frozen=True)
class Person:
    """state: as in calibration.Standing, or "" where none is asked for; checks: of the last `window`."""

    member: Member
    standing: Standing | None
    checks: Tally
    below: bool

    @property
    def state(self) -> str:
        return self.standing.state if self.standing else ""


@dataclass(frozen=True)
class Pool:
    """What there is to hand out. unlike: checks that people could tell from work, since only work has a draft."""

    groups: Sequence[tuple[str, int]]
    counts: Mapping[str, int]
    unlike: int

    @property
    def checks(self) -> int:
        return sum(self.counts.get(purpose, 0) for purpose in PURPOSES)


def people(project: Project) -> list[Person]:
    """Annotators and reviewers; leads are asked nothing."""
    readiness = asking.asked_by(project) or Readiness(project=project)
    working = project.members.who_can(Member.Role.ANNOTATOR, Member.Role.REVIEWER)
    members = list(working.select_related("user").order_by("joined_at", "pk"))
    standings = _standings(project, members, readiness)
    answers_by_user = checks.recent(project, members, readiness.window)
    persons = []
    for member in members:
        counted = tally(answers_by_user.get(member.user_id, []), project)
        below = bool(readiness.floor) and counted.checks > 0 and not counted.reaches(readiness.floor)
        persons.append(Person(member, standings.get(member.pk), counted, below))
    return persons


def _standings(project: Project, members: Sequence[Member], readiness: Readiness) -> dict[int, Standing]:
    if not readiness.calibration_each:
        return {}
    slots = places.places(project).filter(item__purpose=Item.Purpose.CALIBRATION)
    slots_by_user: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
    for user, round_, state, pk in slots.values_list("reserved_for", "round", "state", "pk"):
        slots_by_user[user].append((round_, state, pk))
    submitted_slots = [
        pk for rows in slots_by_user.values() for _round, state, pk in rows if state == Slot.State.SUBMITTED
    ]
    answers = Annotation.objects.filter(slot__in=submitted_slots, submitted_at__isnull=False).select_related(
        "item__base"
    )
    answered = {answer.slot_id: answer for answer in answers}
    return {
        member.pk: calibration.standing_of(
            readiness,
            slots_by_user[member.user_id],
            is_in=member.calibrated_at is not None,
            tally_of=lambda pks: tally([answered[pk] for pk in pks if pk in answered], project),
        )
        for member in members
    }


def pool(project: Project) -> Pool:
    items = Item.objects.filter(project=project, state=Item.State.ACCEPTED, base__isnull=False)
    aside = items.exclude(purpose=Item.Purpose.WORK)
    rows = aside.order_by().values_list("purpose", "group").annotate(n=Count("pk"))
    counts: Counter[str] = Counter()
    groups: Counter[str] = Counter()
    for purpose, group, n in rows:
        counts[purpose] += n
        if purpose == Item.Purpose.CALIBRATION:
            groups[group] += n
    return Pool(sorted(groups.items()), counts, _unlike(project))


def _unlike(project: Project) -> int:
    """Checks without a model's draft, where work that waits has one."""
    drafted = Exists(Annotation.objects.filter(item=OuterRef("pk")).exclude(model=""))
    open_items = Item.objects.counted().undecided().filter(project=project)
    if not open_items.filter(drafted).exists():
        return 0
    return Item.objects.filter(~drafted, project=project, purpose__in=PURPOSES).count()
