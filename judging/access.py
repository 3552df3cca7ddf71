"""Access to the pages of judging: the members that each group of pages admits, and the projects that they may read.

Nobody who votes, or could vote, in a running study sees how far people agree: the votes of others would influence
them. Leads do see it, because they drew the study.
"""

from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from annotate.kinds.contract import Kind
from annotate.kinds.questions.types.pair import Pair
from annotate.kinds.questions.types.rubric import Rubric
from annotate.models import Member, Project, User
from annotate.web.access import READERS, membership
from judging.models import Author, Ballot, Study

INTENT = "intent"  # the field of a draft, and the division of an item, that says what its user wanted


def is_sealed(member: Member) -> bool:
    """Whether a study is open in which this member votes, or could vote. Never for leads: they drew the study."""
    if member.leads:
        return False
    project_votes = Q(project=member.project) if member.project.kind.voted else Q()
    votes = Q(
        source=member.project, project__members__in=Member.objects.filter(user=member.user).exclude(role="viewer")
    )
    return Study.objects.filter(project_votes | votes if project_votes else votes, closed_at=None).exists()


def sources_of(project: Project, user: User) -> list[Project]:
    """For a project of votes: the projects whose answers the votes are about, as far as this person may read them."""
    readers = Member.objects.filter(user=user).exclude(role="annotator").values("project")
    about = Ballot.objects.filter(item__project=project).exclude(first__item__project=project)
    return list(Project.objects.filter(pk__in=about.values("first__item__project")).filter(pk__in=readers))


def board_member(
    request: HttpRequest,
    slug: str,
    roles: tuple[str, ...] = READERS,
    *,
    suits: Callable[[Project], bool],
    names_authors: bool,
    shows_agreement: bool,
) -> Member:
    """As `membership`; 404 in projects that the page does not suit.

    names_authors: whoever may vote in a project of votes is refused, because the page names the authors of answers.
    shows_agreement: whoever votes in a running study is refused, because the page says how far people agree.
    """
    member = membership(request, slug, roles)
    is_there = suits(member.project)
    if shows_agreement:
        _refuse_sealed(member)
    if names_authors and (is_there or judged(member.project)):
        _refuse_voters(member)
    if not is_there:
        raise Http404
    return member


def everywhere(project: Project) -> bool:
    """True for all projects, including those in which people vote."""
    return True


def judged(project: Project) -> bool:
    """Whether judges judge the project's items, or answers to them."""
    return project.kind.can_be_judged


def has_answers(project: Project) -> bool:
    """Whether judges read answers to the project's items, not the items themselves."""
    return project.kind.can_be_judged and not project.kind.judges_items


def answered(project: Project) -> bool:
    """Whether candidates answer the project's items."""
    return project.kind.judges_answers


def compared(project: Project) -> bool:
    """Whether answers are compared, by judges of them or by people who vote."""
    return project.kind.judges_answers or project.kind.opinions


def pair_questions(kind: Kind) -> list[Pair]:
    return [question for question in kind.questions().values() if isinstance(question, Pair)]


def has_pair_questions(project: Project) -> bool:
    return bool(pair_questions(project.kind))


def ranks_models(project: Project) -> bool:
    """Whether answers are compared, or texts of items by own questions."""
    return compared(project) or has_pair_questions(project)


def rubrics(kind: Kind) -> dict[str, Rubric]:
    return {name: question for name, question in kind.questions().items() if isinstance(question, Rubric)}


def scored_names(kind: Kind) -> list[str]:
    """The scores of the definition, the questions whose answers are numbers, and rubrics, which have a score each."""
    questions = kind.questions().values()
    numbers = [q.name for q in questions if q.level in ("ordinal", "interval") and not q.parted]
    return [*kind.scores(), *numbers, *rubrics(kind)]


def has_scores(project: Project) -> bool:
    return bool(scored_names(project.kind))


def weighed(project: Project) -> bool:
    """Whether judges say the same as people do, of answers or of the items themselves."""
    return compared(project) or project.kind.judges_items


def has_checklists(project: Project) -> bool:
    return project.kind.holds_checklists


def has_difficulty(project: Project) -> bool:
    """Whether it can be said which questions are hard: those of checklists, or own ones."""
    return has_checklists(project) or project.kind.defined


def has_intents(project: Project) -> bool:
    """Whether the intents of its cases are known."""
    return project.kind.judges_answers and INTENT in project.kind.label_fields


def has_blind_spots(project: Project) -> bool:
    """Whether its items hold gold and perturbed answers, which judges can be asked about."""
    return project.kind.perturbs


def goes_by_branches(project: Project) -> bool:
    """Whether the project has pages about criteria."""
    return project.kind.holds_labels


def takes_judgements(project: Project) -> bool:
    """Whether its kind holds judgements from elsewhere."""
    return bool(project.kind.bridging_steps)


def judging_member(
    request: HttpRequest,
    slug: str,
    roles: tuple[str, ...] = READERS,
    *,
    suits: Callable[[Project], bool] = has_answers,
) -> Member:
    """As `membership`; 404 in projects without answers, by default: they have no such pages.

    The pages name the authors of answers, so in a project of votes everybody who may vote there is refused.
    """
    return board_member(request, slug, roles, suits=suits, names_authors=True, shows_agreement=False)


def _refuse_voters(member: Member) -> None:
    if member.project.kind.voted and (member.annotates or member.reviews) and not member.leads:
        raise PermissionDenied(
            _("Votes here are blind: voters do not see whose answers they are. Only leads and viewers do.")
        )


def _refuse_sealed(member: Member) -> None:
    if is_sealed(member):
        raise PermissionDenied(
            _("You can still vote in an open study. Agreement between people is shown once it is closed.")
        )


def author_of(member: Member, pk: int) -> Author:
    """An author of this project, or 404."""
    author = Author.objects.filter(project=member.project_id, pk=pk).first()
    if author is None:
        raise Http404
    return author
