"""Import of votes and verdicts about pairs that a project's items hold themselves, such as labelled pairs for trees.

The items are created as work. Their answers and the judges' verdicts belong to the project; people's votes go into a
separate project of votes, like those of a study, so that no draft of another shape is attached to an item.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from annotate.bulk_rows import BulkInsert
from annotate.formats.rows import Problem
from annotate.intake.row_reader import PreparedRow, content_hash
from annotate.intake.store import store as store_work
from annotate.kinds import kind_of_votes
from annotate.kinds.protocol import AnswerPair
from annotate.kinds.shapes import Finding
from annotate.kinds.values import BadShape
from annotate.models import Batch, Item, Project
from judging.answers.store import authors_called, hold
from judging.formats.format import JudgementFormat
from judging.intake import vote_items
from judging.intake.judgement_store import BroughtAnswer, answers_about
from judging.intake.vote_files import Fitting, NewVoteContent, VoteIntake, row_warnings
from judging.intake.vote_items import ReadyVote, VoteRowReader, refuse_taken, votes_beside
from judging.models import Ballot
from judging.ratings.units import PREFERENCE
from lib.texts.stored_sentences import say as _

LABELS = ("first", "second", "tie")


@dataclass(frozen=True)
class Held:
    """An item that holds a pair; pair: None if it holds none. sha256: of what judges see of it."""

    pk: int
    pair: AnswerPair | None
    sha256: str


class HeldIntake(VoteIntake):
    """One file about pairs of items of a kind that holds pairs."""

    def __init__(self, project: Project, file_format: JudgementFormat, path: Path, name: str) -> None:
        votes = kind_of_votes(PREFERENCE)
        refuse_taken(project, votes.slug)
        super().__init__(project, file_format, path, name)
        self._reader, self._kind, self._schema = VoteRowReader(project, votes), votes, votes.schema

    @cached_property
    def _votes(self) -> Project:
        """The project of people's votes; created for the first vote."""
        return votes_beside(self._project, self._kind.slug)

    @cached_property
    def _vote_batch(self) -> Batch:
        return self._begun(self._votes)

    @property
    def _batches(self) -> list[int]:
        vote_batch = vars(self).get("_vote_batch")
        return [self._batch.pk, *([vote_batch.pk] if vote_batch else [])]

    def _store(self, rows: Sequence[ReadyVote]) -> tuple[list[NewVoteContent], list[Problem]]:
        good, problems = self._make_items(rows)
        held = self._held({row.voted.key for row in rows})
        fitting: list[tuple[ReadyVote, Held, NewVoteContent]] = []
        for row in rows:
            held_item = held.get(row.voted.key)
            if held_item is None:
                continue  # it could not be created, and a problem says so
            if held_item.pair is None or not _same(row, held_item.pair):
                message = _("The item “%(key)s” already exists with other texts; they were kept.")
                problems.append(Problem(self._name, row.voted.line, "", message % {"key": row.voted.key}))
            else:
                fitting.append((row, held_item, NewVoteContent(is_new=row.voted.line in good)))
        targets = self._targets(fitting)
        self._votes_of_people(targets)
        self._judges(targets)
        problems += [problem for row, _target, brought in targets for problem in row_warnings(row, brought, self._name)]
        return [brought for _row, _target, brought in targets], problems

    def _make_items(self, rows: Sequence[ReadyVote]) -> tuple[set[int], list[Problem]]:
        """The lines from which items were created, and the problems of those that could not be."""
        held_by_key = self._held({row.voted.key for row in rows})
        fresh: dict[str, PreparedRow] = {}
        problems = []
        for row in rows:
            if row.voted.key in held_by_key or row.voted.key in fresh:
                continue
            try:
                fresh[row.voted.key] = self._prepared(row)
            except BadShape as bad:
                problems += [
                    Problem(self._name, row.voted.line, finding.path, finding.message) for finding in bad.findings
                ]
        store_work(self._project, self._batch, list(fresh.values()))
        return {prepared.line for prepared in fresh.values()}, problems

    def _prepared(self, row: ReadyVote) -> PreparedRow:
        """Raises BadShape."""
        if any(side.text is None for side in row.voted.sides):
            message = _(
                "The row has no texts, and items of this kind consist of them. "
                "Import it into a project of preference votes."
            )
            raise BadShape([Finding("", message)])
        kind, texts = self._project.kind, (row.facts["first"], row.facts["second"])
        authors = row.authors[0], row.authors[1]
        label = _label(row) if self._wanted.whole else ""
        facts = kind.read_facts(kind.of_pair(AnswerPair(row.facts["prompt"], authors, texts, row.voted.group, label)))
        stored = facts.stored()
        return PreparedRow(
            line=row.voted.line,
            row={},
            key=row.voted.key,
            facts=stored,
            content_hash=content_hash(stored),
            title=kind.title(facts)[:160],
            group=kind.group(facts, None),
            language=row.language,
        )

    def _held(self, keys: set[str]) -> dict[str, Held]:
        """key -> its item, for existing items. One query."""
        kind, options, held_by_key = self._project.kind, self._project.kind_options, {}
        for item in Item.objects.filter(project=self._project, key__in=keys).only("key", "facts", "schema"):
            try:
                facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
            except BadShape:
                held_by_key[item.key] = Held(item.pk, None, "")
                continue
            judged = kind.judged(facts, kind.read_draft(kind.empty_draft(facts)), options)
            held_by_key[item.key] = Held(item.pk, kind.as_pair(facts), judged.sha256)
        return held_by_key

    def _targets(self, fitting: Sequence[tuple[ReadyVote, Held, NewVoteContent]]) -> Fitting:
        """Each row with its answers, by authors of this project."""
        pairs = [(held_item.pk, held_item.pair) for _row, held_item, _brought in fitting if held_item.pair]
        authors = authors_called(self._project, {name: {} for _pk, pair in pairs for name in pair.authors})
        hold(author.pk for author in authors.values())
        brought_answers = [
            BroughtAnswer((pk, authors[name].pk), text)
            for pk, pair in pairs
            for name, text in zip(pair.authors, pair.texts, strict=True)
        ]
        answers = answers_about(brought_answers, self._source)
        return [
            (
                row,
                vote_items.VoteTarget(held_item.pk, held_item.sha256, row.authors, answers[2 * index : 2 * index + 2]),
                brought,
            )
            for index, (row, held_item, brought) in enumerate(fitting)
        ]

    def _votes_of_people(self, targets: Fitting) -> None:
        """Vote items with ballots about these answers, and the votes on them."""
        voted = [entry for entry in targets if entry[0].drafts]
        if not voted:
            return
        keys = {row.voted.key for row, _target, _brought in voted}
        row_by_key: Mapping[str, ReadyVote] = {row.voted.key: row for row, _target, _brought in reversed(voted)}
        item_by_key = vote_items.find_vote_items(self._votes, keys)
        vote_items.make_vote_items(
            self._votes, self._vote_batch, [row for key, row in row_by_key.items() if key not in item_by_key]
        )
        item_by_key = vote_items.find_vote_items(self._votes, keys)
        about = {row.voted.key: target.answers for row, target, _brought in voted}
        BulkInsert(Ballot, ("item_id", "first_id", "second_id")).insert(
            (item_by_key[key].pk, *answers) for key, answers in about.items() if not item_by_key[key].answers
        )
        self._people([(row, item_by_key[row.voted.key], brought) for row, _target, brought in voted])


def _same(row: ReadyVote, pair: AnswerPair) -> bool:
    return (row.facts["prompt"], row.facts["first"], row.facts["second"]) == (pair.prompt, *pair.texts)


def _label(row: ReadyVote) -> str:
    """What most people of the row prefer; "" if they are split or chose none of the three."""
    top_choices = Counter(draft["choice"] for draft in row.drafts if draft["choice"] in LABELS).most_common(2)
    if not top_choices or (len(top_choices) == 2 and top_choices[0][1] == top_choices[1][1]):
        return ""
    return str(top_choices[0][0])
