"""Items as candidates and judges get them: facts and final draft, read by the kind; and what a leaderboard needs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotate.kinds.protocol import CandidatePrompt, JudgedItem
from annotate.kinds.values import BadShape
from annotate.models import Item, Project
from judging.models import Answer


@dataclass(frozen=True)
class Case:
    """One item with its final draft read. language: of its prompts, `en` or `zh`.

    answers: author -> (sort, text) of those that the item itself holds.
    """

    item: Item
    asked: CandidatePrompt
    judged: JudgedItem
    language: str
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """Digest of what judges see apart from the answers; for a vote, of its facts, as for verdicts from files."""
        return self.judged.sha256 if self.item.project.kind.judges_answers else self.item.content_hash


def decided(project: Project) -> QuerySet[Item]:
    """Items whose final draft is decided: candidates answer only these."""
    return _work(project).filter(_DECIDED)


def judgeable(project: Project) -> QuerySet[Item]:
    """Items whose answers judges read: decided ones, and those imported with their answers, decided or not; all that
    are not dropped where judges read the items themselves.

    Votes whose answers belong to another project, such as those that a study drew, are left out.
    """
    kind = project.kind
    if kind.judges_items:
        return _work(project).exclude(state=Item.State.DROPPED)
    if not kind.brings_answers:
        return decided(project)
    brought = Exists(Answer.objects.filter(item=OuterRef("pk"))) & ~Q(state=Item.State.DROPPED)
    return _work(project).filter(_DECIDED | Q(brought) if kind.judges_answers else brought)


_DECIDED = Q(state=Item.State.ACCEPTED, base__isnull=False)


def _work(project: Project) -> QuerySet[Item]:
    return Item.objects.filter(project=project, purpose=Item.Purpose.WORK)


def cases(items: QuerySet[Item]) -> Iterator[Case]:
    """The cases in the order of the items, streamed; items whose texts cannot be read any more are left out.

    Two queries however many: select_related("base", "project").
    """
    for item in items.select_related("base", "project").iterator(chunk_size=1000):
        case = case_of(item)
        if case is not None:
            yield case


def case_of(item: Item) -> Case | None:
    """item: with base and project at hand. None where facts or draft do not read, or nothing is decided yet.

    An item that can come with its answers is read with an empty draft until one is decided.
    """
    kind, options = item.project.kind, item.project.kind_options
    if not kind.can_be_judged or (item.base is None and not kind.brings_answers):
        return None
    try:
        facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
        stored_draft = kind.upgrade(item.base.draft, item.base.schema) if item.base else kind.empty_draft(facts)
        draft = kind.read_draft(stored_draft)
    except BadShape:
        return None
    language = item.language.split("-")[0] or "en"
    query, judged = kind.asked(facts, draft, options), kind.judged(facts, draft, options)
    return Case(item, query, judged, language, kind.answers(facts, draft))


# Basics of a leaderboard: the items that can be judged and the authors who answered them, before any judging.


@dataclass(frozen=True)
class BoardBasics:
    """items: those that can be judged. authors: whoever has answered any of them."""

    items: int
    authors: int


def board_basics(project: Project) -> BoardBasics:
    items = judgeable(project)
    answers = Answer.objects.filter(item__in=items.values("pk"), known=True)
    return BoardBasics(items.count(), answers.values("author").distinct().count())
