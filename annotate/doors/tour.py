"""A tour of a project in two minutes: what is behind which door, for those who lead and for those who annotate.

Each step has a page, and is shown on every page of the project until the person goes on or ends the tour; nothing is
covered and nothing waits for it. An account remembers where it is in each tour (`User.tours`); a tour that is not in
there was neither taken nor declined, and is offered.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.doors.table import DoorPage, pages_for
from annotate.models import Member, User
from annotate.work.keys import ACTIONS, key_symbol, keys_of

LEAD, WORK = "lead", "work"
ENDED = 0  # in place of the number of a step


@dataclass(frozen=True)
class TourStep:
    """door: where its page is. page: the name of its address; "" for the door's first page.

    keys: actions of the work page whose keys are shown, as the person has them.
    """

    door: str
    title: str | Promise
    text: str | Promise
    page: str = ""
    keys: tuple[str, ...] = ()


STEPS: dict[str, Sequence[TourStep]] = {
    LEAD: (
        TourStep(
            "overview",
            _("Overview: how the work goes"),
            _(
                "What is done, who needs help, what it cost. Every number opens the items behind it. A young project "
                "lists its next steps here."
            ),
        ),
        TourStep(
            "data",
            _("Data: items in, releases out"),
            _(
                "Import a file and look at its rows before anything is kept. Search and filter the items, then freeze "
                "accepted ones as a numbered release."
            ),
        ),
        TourStep(
            "models",
            _("Models: drafts, answers, judges"),
            _(
                "A run is planned first: you see cost and budget, and nothing is sent until you start it. Prompts have "
                "versions, and every reply is kept."
            ),
        ),
        TourStep(
            "results",
            _("Results: whom to trust"),
            _(
                "Boards with data come first, the others say what they need. Every figure has its interval and its "
                "n, and can be saved as a picture or a table."
            ),
        ),
        TourStep(
            "work",
            _("Work: what annotators and reviewers see"),
            _("Annotate and review like everybody else. Returned items come first, and nobody reviews their own work."),
        ),
        TourStep(
            "team",
            _("Team & settings: people and rules"),
            _(
                "Invite people by link, let newcomers pass a calibration, write the guidelines. The settings say how "
                "many people write and review an item."
            ),
            page="people",
        ),
    ),
    WORK: (
        TourStep(
            "work",
            _("Work: your next item"),
            _(
                "The button gives you the next item; it is yours while you type. What came back to you comes first. "
                "Everything is saved as you write."
            ),
            page="work",
        ),
        TourStep(
            "work",
            _("At an item: keep, edit, go on"),
            _(
                "The material is on the left, the form on the right; on a phone one follows the other. Digits choose, "
                "Ctrl+Enter submits and brings the next item."
            ),
            page="work",
            keys=("keep", "reset", "skip", "ask", "help"),
        ),
        TourStep(
            "work",
            _("Review: accept, fix or return"),
            _(
                "The item that waits longest comes first, never one of your own. Each button says what happens next, "
                "and you can take a decision back."
            ),
            page="review",
        ),
        TourStep(
            "work",
            _("My corrections: what became of your work"),
            _(
                "What was accepted, fixed and returned, with the differences and the reasons. If you disagree, say "
                "so: you can dispute a decision once."
            ),
            page="my_corrections",
        ),
        TourStep(
            "team",
            _("Guidelines: the rules"),
            _(
                "Read them before you start; at an item, the sections about it come first. Questions that others "
                "asked, with their rulings, are under Precedents."
            ),
            page="guidelines",
        ),
    ),
}


@dataclass(frozen=True)
class Tour:
    """The tour of this member's role in their project."""

    member: Member

    @property
    def name(self) -> str:
        """Who annotates or reviews gets the tour of work; leads and viewers that of all doors."""
        return LEAD if self.member.role in (Member.Role.LEAD, Member.Role.VIEWER) else WORK

    @cached_property
    def steps(self) -> Sequence[tuple[TourStep, str]]:
        """The steps whose pages this member sees, each with the path of its page."""
        pages, slug = pages_for(self.member), self.member.project.slug
        steps_and_pages = [(step, _page_of(step, pages)) for step in STEPS[self.name]]
        return [(step, page.address(slug)) for step, page in steps_and_pages if page is not None]

    @property
    def number(self) -> int | None:
        """Of the step that is shown, from 1; ENDED; None where the tour was neither taken nor declined."""
        stored: int | None = self.member.user.tours.get(self.name)
        return min(stored, len(self.steps)) if stored else stored

    @property
    def is_offered(self) -> bool:
        return self.number is None

    @property
    def step(self) -> TourStep | None:
        return self.steps[self.number - 1][0] if self.number else None

    @property
    def keys(self) -> Sequence[tuple[str, str | Promise]]:
        """The keys that the step shows, as this person has them, each with what it does."""
        user_keys, step_keys = keys_of(self.member.user.keys), self.step.keys if self.step else ()
        return [(key_symbol(user_keys[action.name]), action.label) for action in ACTIONS if action.name in step_keys]

    @property
    def path(self) -> str:
        """Of the page of the step that is shown, or of the first one."""
        return self.steps[(self.number or 1) - 1][1]

    def go(self, number: int) -> None:
        """Show this step; ENDED, or a number after the last step, ends the tour."""
        user = self.member.user
        user.tours = {**user.tours, self.name: number if 0 < number <= len(self.steps) else ENDED}
        User.objects.filter(pk=user.pk).update(tours=user.tours)


def _page_of(step: TourStep, pages: Sequence[DoorPage]) -> DoorPage | None:
    door_pages = [page for page in pages if page.door == step.door]
    return next((page for page in door_pages if step.page in ("", page.name)), None)
