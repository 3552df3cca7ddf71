"""Vote items of imports: the project that holds them, rows read by its kind, items with ballots, and people's votes."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from annotate.bulk_rows import BulkInsert
from annotate.errors import Refused
from annotate.formats.rows import Problem
from annotate.intake.row_checks import Checks
from annotate.intake.row_reader import PreparedRow, content_hash
from annotate.intake.store import store as store_work
from annotate.items import flow, slots
from annotate.kinds.contract import Kind
from annotate.kinds.shapes import Finding
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Batch, Event, Item, Member, Project, Slot
from annotate.project.actions import create_project
from judging.answers.store import authors_called, hold
from judging.formats.format import Voted
from judging.intake.judgement_store import BroughtAnswer, answers_about
from judging.models import Ballot
from lib.texts.stored_sentences import say as _


def votes_beside(project: Project, kind: str) -> Project:
    """The project of the votes of this kind; created with the project's leads if missing."""
    votes_project = Project.objects.filter(slug=slug_beside(project), kind_slug=kind).first()
    if votes_project is None:
        votes_name = _("%(name)s: votes") % {"name": project.name}
        settings = {"languages": project.languages, "reviews": 0}
        votes_project = create_project(slug=slug_beside(project), kind=kind, name=votes_name[:120], **settings)
        leads = project.members.filter(role=Member.Role.LEAD)
        Member.objects.bulk_create(Member(project=votes_project, user=lead.user, role=lead.role) for lead in leads)
    return votes_project


def slug_beside(project: Project) -> str:
    return f"{project.slug[:54]}-votes"  # an address has at most 60 characters


def refuse_taken(project: Project, kind: str) -> None:
    """Raises Refused if the slug of the votes' project is taken by another project."""
    slug = slug_beside(project)
    other_project = Project.objects.filter(slug=slug).exclude(kind_slug=kind).first()
    if other_project is not None:
        raise Refused(_("“%(slug)s” is of kind %(kind)s.") % {"slug": slug, "kind": other_project.kind_slug})


# Reading: a row of votes, validated by the kind of its project; nothing is written.


Authors = tuple[str, ...]


@dataclass(frozen=True)
class ReadyVote:
    """One row that can be stored. facts, drafts: as they are stored, a draft for each of its votes."""

    voted: Voted
    facts: Mapping[str, Any]
    content_hash: str
    title: str
    language: str
    drafts: Sequence[Mapping[str, Any]]

    @property
    def authors(self) -> Authors:
        return tuple(side.author for side in self.voted.sides)


class VoteRowReader:
    """Reads rows for one project. Many votes are about one item, so its language is detected once.

    votes: the kind in which people vote, if it is not the project's own.
    """

    def __init__(self, project: Project, votes: Kind | None = None) -> None:
        self._kind = votes or project.kind
        self._options = votes.options() if votes else project.kind_options
        self._checks = Checks(self._kind, project.languages, thorough=True)
        self._languages: dict[str, str] = {}

    def read(self, voted: Voted, file: str) -> ReadyVote | list[Problem]:
        """The row, or all problems of it, in terms of the file's field names."""
        try:
            facts = self._kind.read_facts(voted.facts)
            drafts = [self._draft(facts, vote.draft) for vote in voted.votes]
        except BadShape as bad:
            return [self._problem(voted, finding, file) for finding in bad.findings]
        stored = facts.stored()
        digest = content_hash(stored)
        return ReadyVote(voted, stored, digest, self._kind.title(facts)[:160], self._language(digest, facts), drafts)

    def _language(self, digest: str, facts: Any) -> str:
        if digest not in self._languages:
            self._languages[digest] = self._checks.language(facts)
        return self._languages[digest]

    def _draft(self, facts: Any, raw_draft: Mapping[str, Any]) -> Mapping[str, Any]:
        draft = self._kind.read_draft(raw_draft)
        problems = self._kind.problems(facts, draft, self._options)
        if problems:
            raise BadShape(problems)
        return dict(draft.stored())

    @staticmethod
    def _problem(voted: Voted, finding: Finding, file: str) -> Problem:
        return Problem(file, voted.line, voted.names.get(finding.path, finding.path), finding.message)


# Items: the vote items of a chunk with their answers and ballots, looked up or created.


@dataclass(frozen=True)
class VoteTarget:
    """One vote item. answers: in the order of its facts; empty while it has no ballot."""

    pk: int
    content_hash: str
    authors: Authors = ()
    answers: Sequence[int] = field(default=())


def find_vote_items(project: Project, keys: Collection[str]) -> dict[str, VoteTarget]:
    """key -> its item, for existing items. One query."""
    columns = ("key", "pk", "content_hash", "ballot__first", "ballot__second")
    names = ("ballot__first__author__name", "ballot__second__author__name")
    targets = {}
    for key, pk, digest, *rest in Item.objects.filter(project=project, key__in=keys).values_list(*columns, *names):
        answers, authors = rest[:2], rest[2:]
        targets[key] = VoteTarget(
            pk, digest, tuple(filter(None, authors)), tuple(answer for answer in answers if answer is not None)
        )
    return targets


def make_vote_items(project: Project, batch: Batch, rows: Sequence[ReadyVote]) -> None:
    """Create items with these keys, each once: decided if people have voted, else open for votes."""
    voted = [row for row in rows if row.drafts]
    store_work(project, batch, [_as_work(row) for row in rows if not row.drafts])
    table = BulkInsert(
        Item,
        ("key", "title", "group", "language", "content_hash", "facts"),
        project_id=project.pk,
        batch_id=batch.pk,
        schema=project.kind.schema,
        state=Item.State.ACCEPTED.value,
    )
    table.insert(
        (row.voted.key, row.title, row.voted.group, row.language, row.content_hash, row.facts) for row in voted
    )
    item_pks = Item.objects.filter(batch=batch, key__in=[row.voted.key for row in voted]).values_list("pk", flat=True)
    history = BulkInsert(
        Event,
        ("item_id",),
        project_id=project.pk,
        verb="imported",
        to_state=Item.State.ACCEPTED.value,
        note=batch.file_name,
    )
    history.insert((pk,) for pk in item_pks)


def _as_work(row: ReadyVote) -> PreparedRow:
    return PreparedRow(
        line=row.voted.line,
        row={},
        key=row.voted.key,
        facts=dict(row.facts),
        content_hash=row.content_hash,
        title=row.title,
        group=row.voted.group,
        language=row.language,
    )


def make_ballots(project: Project, pairs: Iterable[tuple[VoteTarget, ReadyVote]], source: str) -> None:
    """Answers of the row's authors to the vote item itself, and the ballot that says which it shows."""
    target_rows = list(pairs)
    if not target_rows:
        return
    authors = authors_called(project, {name: {} for _target, row in target_rows for name in row.authors})
    hold(author.pk for author in authors.values())
    brought = [
        BroughtAnswer((target.pk, authors[side.author].pk), side.text)
        for target, row in target_rows
        for side in row.voted.sides
    ]
    answers = iter(answers_about(brought, source))
    BulkInsert(Ballot, ("item_id", "first_id", "second_id")).insert(
        (target.pk, *_two([next(answers) for _side in row.voted.sides])) for target, row in target_rows
    )


def _two(answers: Sequence[int]) -> tuple[int, int | None]:
    return answers[0], answers[1] if len(answers) > 1 else None


VoteTargets = Mapping[str, VoteTarget]


# Votes: people's votes of a file, under the names that it gives them, each once per item.


RaterKey = tuple[int, str]  # item, rater
Draft = Mapping[str, Any]


def stored_votes(items: Collection[int]) -> dict[RaterKey, Draft]:
    """Votes of raters from files on these items. One query."""
    imported = Annotation.objects.filter(item__in=items, author=None, slot=None).exclude(rater="")
    return {(item, rater): draft for item, rater, draft in imported.values_list("item_id", "rater", "draft")}


def store_votes(votes: Sequence[tuple[RaterKey, Draft]], *, schema: int) -> None:
    """Store votes of raters who have not voted on these items yet."""
    table = BulkInsert(
        Annotation,
        ("item_id", "rater", "draft"),
        schema=schema,
        outcome=Annotation.Outcome.ANNOTATED,
        authored=True,
        submitted_at=timezone.now(),
    )
    table.insert((item, rater, draft) for (item, rater), draft in votes)


def close_work(items: Collection[int], note: str) -> None:
    """Accept the items that were open for votes and that nobody has begun: the file contains the votes.

    If somebody is voting already, they continue, and their vote decides the item.
    """
    for item in Item.objects.filter(pk__in=items, state=Item.State.READY):
        if slots.remove_untouched(Slot.objects.filter(item=item)):
            vote = Annotation.objects.filter(item=item, author=None, slot=None).exclude(rater="").earliest("pk")
            flow.move(item, "accepted", by=None, base=vote, annotation=vote, note=note)


def decide(items: Collection[int]) -> None:
    """Base each accepted item on the earliest vote of its majority, or on its first vote without a majority.

    A study reads all votes. The base vote only makes the item a decided one like every other.
    """
    votes: dict[int, list[tuple[int, str]]] = defaultdict(list)
    imported = Annotation.objects.filter(item__in=items, item__state=Item.State.ACCEPTED, author=None, slot=None)
    rows = imported.exclude(rater="").order_by("pk").values_list("item_id", "pk", "draft")
    for item, pk, draft in rows:
        votes[item].append((pk, _vote_text(draft)))
    stored = Item.objects.filter(pk__in=votes, base__author=None).only("pk", "base_id")
    changed = []
    for stored_item in stored:
        base = _standing(votes[stored_item.pk])
        if stored_item.base_id != base:
            stored_item.base_id = base
            changed.append(stored_item)
    Item.objects.bulk_update(changed, ["base"], batch_size=400)


def _standing(votes: Sequence[tuple[int, str]]) -> int:
    ranked = Counter(vote for _pk, vote in votes).most_common(2)
    is_split = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    return votes[0][0] if is_split else next(pk for pk, vote in votes if vote == ranked[0][0])


def _vote_text(draft: Draft) -> str:
    """The vote without its free-text comments."""
    return json.dumps(
        {name: value for name, value in draft.items() if name not in ("reason", "recognised")}, sort_keys=True
    )
