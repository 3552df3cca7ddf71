"""What a lead does next: a list on the overview of a young project, up to its first release.

After it the list has what is still missing, and the steps that other apps add.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, Max, Model, OuterRef, QuerySet, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from annotate.engine.discovery import hooks
from annotate.kinds.contract import Kind
from annotate.models import Guideline, Invitation, Item, Member, Project, Release, Run

DONE, NEXT, OPEN, OPTIONAL, LATER = "done", "next", "open", "optional", "later"
STATES = {
    DONE: pgettext_lazy("step", "Done"),
    NEXT: pgettext_lazy("step", "Next"),
    OPEN: pgettext_lazy("step", "Open"),
    OPTIONAL: pgettext_lazy("step", "Optional"),
    LATER: pgettext_lazy("step", "Waits for accepted items"),
}
DRAFTS = "preannotate"  # the purpose of runs in which a model writes first drafts


@dataclass(frozen=True)
class SetUp:
    """What a project has so far.

    items, accepted, to_annotate, in_review: work items. guideline: the newest version, 0 without any. people: its
    members. invited: somebody has a link to join. drafted: a run for drafts was planned. released: a release was made.
    followed: the steps of other apps that are done.
    """

    items: int
    accepted: int
    guideline: int
    people: int
    invited: bool
    drafted: bool
    released: bool
    to_annotate: int = 0
    in_review: int = 0
    followed: frozenset[str] = frozenset()

    @property
    def all_submitted(self) -> bool:
        """Whether everything is written, and nothing is accepted yet."""
        return self.in_review > 0 and not self.to_annotate and not self.accepted


def set_up_of(projects: Collection[int], states: Mapping[int, Counter[str]]) -> dict[int, SetUp]:
    """project -> what it has, in one statement. states: project -> state -> work items."""
    following = following_steps()
    rows = Project.objects.filter(pk__in=projects).values_list(
        "pk",
        Subquery(_of_project(Guideline).values("project").annotate(newest=Max("version")).values("newest")),
        Subquery(_of_project(Member).values("project").annotate(people=Count("pk")).values("people")),
        Exists(_of_project(Invitation).filter(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())),
        Exists(_of_project(Run).filter(purpose=DRAFTS)),
        Exists(_of_project(Release)),
        *(Exists(step.rows) for step in following),
    )
    return {
        project: SetUp(
            items=sum(states[project].values()),
            accepted=states[project][Item.State.ACCEPTED],
            guideline=guideline or 0,
            people=people or 0,
            invited=invited,
            drafted=drafted,
            released=released,
            to_annotate=states[project][Item.State.IMPORTED] + states[project][Item.State.READY],
            in_review=states[project][Item.State.REVIEWING] + states[project][Item.State.ADJUDICATING],
            followed=frozenset(step.name for step, is_done in zip(following, rest, strict=True) if is_done),
        )
        for project, guideline, people, invited, drafted, released, *rest in rows
    }


def _of_project(model: type[Model]) -> QuerySet[Any]:
    return model._default_manager.filter(project=OuterRef("pk")).order_by()


@dataclass(frozen=True)
class StepPage:
    """Where a step is done. again: the words of the link once it is done. posts: the address takes a form."""

    title: str | Promise
    action: str | Promise
    again: str | Promise
    url: str
    query: str = ""
    posts: bool = False


PAGES = {
    "import": StepPage(
        gettext_lazy("Import items"), gettext_lazy("Import a file"), gettext_lazy("Import more"), "import"
    ),
    "guidelines": StepPage(
        gettext_lazy("Write the guidelines"),
        gettext_lazy("Write guidelines"),
        gettext_lazy("Change them"),
        "guidelines_edit",
    ),
    "people": StepPage(gettext_lazy("Add people"), gettext_lazy("Add people"), gettext_lazy("Add more"), "people"),
    "drafts": StepPage(
        gettext_lazy("Let a model write first drafts"),
        gettext_lazy("Plan a run"),
        gettext_lazy("Runs"),
        "run_new",
        f"?run-purpose={DRAFTS}",
    ),
    "work": StepPage(
        gettext_lazy("Work through the queue"),
        gettext_lazy("Start working"),
        gettext_lazy("Go on"),
        "work_next",
        posts=True,
    ),
    "review": StepPage(
        gettext_lazy("Review what was submitted"), gettext_lazy("Review"), gettext_lazy("Review"), "review"
    ),
    "release": StepPage(
        gettext_lazy("Make the first release"), gettext_lazy("Releases"), gettext_lazy("Releases"), "releases"
    ),
}


@dataclass(frozen=True)
class NextStep:
    """name: of the step. state: a name in STATES. note: a sentence about it. page: where it is done."""

    name: str
    state: str
    note: str | Promise
    page: StepPage

    @property
    def is_done(self) -> bool:
        return self.state == DONE

    @property
    def is_missing(self) -> bool:
        """Whether the project lacks it; an optional step it can do without."""
        return self.state not in (DONE, OPTIONAL)

    @property
    def shown_state(self) -> str | Promise:
        return STATES[self.state]

    @property
    def action(self) -> str | Promise:
        return self.page.again if self.is_done else self.page.action

    def address(self, slug: str) -> str:
        return reverse(self.page.url, args=[slug]) + self.page.query


@dataclass(frozen=True)
class FollowingStep:
    """A step of another app, which follows the first release. Hooks NEXT_STEPS give them, in order.

    name: unique among all steps. suits: whether projects of a kind have it. rows: of the project OuterRef("pk"); with
    one of them it is done. todo, done: a sentence about it and where it leads, before and after. It is optional: not
    every dataset is made to compare models.
    """

    name: str
    suits: Callable[[Kind], bool]
    rows: QuerySet[Any]
    todo: tuple[str | Promise, StepPage]
    done: tuple[str | Promise, StepPage]

    def step(self, set_up: SetUp) -> NextStep:
        is_done = self.name in set_up.followed
        return NextStep(self.name, DONE if is_done else OPTIONAL, *(self.done if is_done else self.todo))


def following_steps() -> list[FollowingStep]:
    return [step for hook in hooks("NEXT_STEPS") for step in hook()]


def next_steps(kind: Kind, set_up: SetUp) -> list[NextStep]:
    """The steps of a project of this kind, in order; after its first release only those that follow.

    At most one is next: the first that is neither done nor optional, unless it waits for accepted items.
    """
    if set_up.released:
        return _after_release(kind, set_up)
    are_done = {"import": set_up.items > 0, "guidelines": set_up.guideline > 0, "people": set_up.people > 1}
    are_done["work"] = set_up.accepted > 0
    first = next((name for name, is_done in are_done.items() if not is_done), "release")
    states = {name: DONE if is_done else NEXT if name == first else OPEN for name, is_done in are_done.items()}
    if kind.preannotation_steps:
        states["drafts"] = DONE if set_up.drafted else OPTIONAL
        states["work"] = states.pop("work")  # after the drafts
    states["release"] = LATER if not set_up.accepted else NEXT if first == "release" else OPEN
    pages = {"work": "review"} if set_up.all_submitted else {}
    return [_own_step(name, state, set_up, pages.get(name, name)) for name, state in states.items()]


def _after_release(kind: Kind, set_up: SetUp) -> list[NextStep]:
    """None if nothing is missing."""
    states = {"guidelines": DONE if set_up.guideline else NEXT, "release": DONE}
    own_steps = [_own_step(name, state, set_up, name) for name, state in states.items()]
    steps = [*own_steps, *(step.step(set_up) for step in following_steps() if step.suits(kind))]
    return [] if all(step.is_done for step in steps) else steps


def _own_step(name: str, state: str, set_up: SetUp, page_name: str) -> NextStep:
    return NextStep(name, state, _note(name, state == DONE, set_up), PAGES[page_name])


def _note(name: str, is_done: bool, set_up: SetUp) -> str:
    return _done_note(name, set_up) if is_done else _open_note(name, set_up)


def _done_note(name: str, set_up: SetUp) -> str:
    if name == "import":
        return ngettext("%(n)d item", "%(n)d items", set_up.items) % {"n": set_up.items}
    if name == "guidelines":
        return _("Version %(version)d") % {"version": set_up.guideline}
    if name == "people":
        return ngettext("%(n)d person", "%(n)d people", set_up.people) % {"n": set_up.people}
    if name == "work":
        return ngettext("%(n)d item accepted", "%(n)d items accepted", set_up.accepted) % {"n": set_up.accepted}
    return _("A release was made.") if name == "release" else _("A run was planned.")


def _open_note(name: str, set_up: SetUp) -> str:
    if name == "people" and set_up.invited:
        return _("Only you so far; an invitation is open.")
    if name == "work" and set_up.all_submitted:
        note = ngettext(
            "%(n)d item waits for a reviewer: another person than the one who submitted it.",
            "%(n)d items wait for a reviewer: another person than the one who submitted them.",
            set_up.in_review,
        )
        return note % {"n": set_up.in_review}
    if name == "release" and set_up.accepted:
        counts = {"accepted": set_up.accepted, "total": set_up.items}
        return _("A frozen file of what was accepted: %(accepted)d of %(total)d items.") % counts
    return {
        "import": _("A file with one row per item: JSONL, JSON or CSV."),
        "guidelines": _("Half a page is enough: what is right, what is wrong, what to do in doubt."),
        "people": _("Only you so far. Agreement needs two people, and nobody reviews their own work."),
        "work": _("Somebody submits an item; another person accepts it under Work → Review."),
        "release": _("A frozen file of what was accepted. Nothing is accepted yet."),
        "drafts": _("People then start from a suggestion and not from an empty form. Needs an endpoint."),
    }[name]
