"""Navigation between the pages of judging. No queries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Member, Project
from judging.boards.blindspots.numbers import has_blind_spots
from judging.boards.branches.tags import goes_by_branches
from judging.boards.bridging.tags import takes_judgements
from judging.ratings.intent_scores import has_intents

register = template.Library()


@dataclass(frozen=True)
class Page:
    """One entry. name: of its URL. of: the projects that link to it; aside: it is under "More".

    names_authors: it names the authors of answers, which voters on those answers must not see.
    """

    name: str
    title: str | Promise
    of: Callable[[Project], bool]
    aside: bool = False
    for_leads: bool = False
    names_authors: bool = False


@dataclass(frozen=True)
class Way:
    """row: the visible entries; more: the entries that unfold. The open page is always in the row."""

    row: Sequence[Page]
    more: Sequence[Page]


def answered(project: Project) -> bool:
    """Whether candidates answer the project's items."""
    return project.kind.judges_answers


def judged(project: Project) -> bool:
    return project.kind.can_be_judged


def has_checklists(project: Project) -> bool:
    return project.kind.holds_checklists


def everywhere(project: Project) -> bool:
    """True for all projects, including those in which people vote."""
    return True


PAGES = (
    Page("leaderboard", _("Leaderboard"), judged, names_authors=True),
    Page("intents", _("Intents"), has_intents),
    Page("blindspots", _("Blind spots"), has_blind_spots),
    Page("bridging", _("Bridging"), takes_judgements),
    Page("branches", _("Branches"), goes_by_branches),
    Page("ranking", _("Ranking"), everywhere),
    Page("agreement", _("Agreement"), everywhere),
    Page("trust", _("Trust"), everywhere),
    Page("answers", _("Answers"), judged, names_authors=True),
    Page("judges", _("Judges"), judged, names_authors=True),
    Page("checklists", _("Checklists"), has_checklists),
    Page("rating_bias", _("Rating bias"), has_intents, aside=True),
    Page("judge_settings", _("Settings of judges"), has_intents, aside=True),
    Page("reported", _("Cases and people"), has_intents, aside=True),
    Page("difficulty", _("Difficulty"), has_checklists, aside=True),
    Page("arithmetic", _("Arithmetic"), has_intents, aside=True),
    Page("statistics", _("Statistics"), answered, aside=True),
    Page("studies", _("Vote studies"), answered, aside=True, for_leads=True),
)


@register.simple_tag
def way_of_judging(project: Project, membership: Member, open_page: str) -> Way:
    """The entries. open_page: the name of the current page, or of the one that it belongs to."""
    votes = project.kind.voted and membership.annotates
    hidden = [page for page in PAGES if page.for_leads or (votes and page.names_authors)]
    led_to = [page for page in PAGES if page.of(project) and (membership.leads or page not in hidden)]
    row = [page for page in PAGES if page.name == open_page or (page in led_to and not page.aside)]
    return Way(row, [page for page in led_to if page not in row])
