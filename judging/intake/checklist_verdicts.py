"""Import of people's verdicts on checklists about existing answers; they become votes like those typed in.

The votes go into a separate project of checklist votes, under the names that the file gives the people. The report
counts single verdicts, one per question, as read, kept, duplicate or rejected.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.audit.trail import record
from annotate.bulk_rows import BulkInsert
from annotate.formats.rows import Problem, printable
from annotate.intake.report import shown_name
from annotate.intake.row_reader import content_hash
from annotate.kinds import kind_of_votes
from annotate.models import Annotation, Batch, Item, Project
from judging.formats.checklist_votes import spaced
from judging.formats.format import AnswerSide, Check, CheckedAnswer, FileVote, Judgement, JudgementFormat, Voted
from judging.intake import vote_items
from judging.intake.judgement_store import JudgementReport
from judging.intake.judgements import JudgedTarget, JudgedTargets
from judging.intake.vote_files import COUNTED, begin_batch
from judging.intake.vote_items import ReadyVote, refuse_taken, votes_beside
from judging.models import Answer, Ballot
from judging.ratings.units import CHECKLIST
from lib.texts.stored_sentences import say as _

VOTE_WORDS = {True: "yes", False: "no", None: "cannot_tell"}
Verdicts = Mapping[int, Check]  # place of the question, from 0 -> what was said


@dataclass(frozen=True)
class PersonsVerdicts:
    """One person's verdicts on one existing answer."""

    checked: CheckedAnswer
    target: JudgedTarget
    answer: int
    text: str
    verdicts: Verdicts


@dataclass(frozen=True)
class VoteItem:
    """The item in which people vote on one answer. questions: those that it asks."""

    pk: int
    questions: Sequence[str]


class CheckedIntake:
    """One file of people's verdicts."""

    def __init__(self, project: Project, file_format: JudgementFormat, path: Path, name: str) -> None:
        self._kind = kind_of_votes(CHECKLIST)
        refuse_taken(project, self._kind.slug)
        self.report = JudgementReport()
        self._project, self._name, self._path, self._wanted = project, name, path, file_format
        self._targets = JudgedTargets(project)

    @cached_property
    def _votes(self) -> Project:
        """The project of people's votes; created for the first vote."""
        return votes_beside(self._project, self._kind.slug)

    @cached_property
    def _batch(self) -> Batch:
        return begin_batch(self._votes, self._wanted, self._path, self._name)

    def end(self) -> JudgementReport:
        """Record the outcome of the file in the list of imports."""
        if "_batch" in vars(self):
            counts = {name: getattr(self.report, name) for name in COUNTED}
            own_batch = Batch.objects.filter(pk=self._batch.pk)
            own_batch.update(**counts, state=Batch.State.DONE, lease_until=None, finished_at=timezone.now())
        return self.report

    def take(self, chunk: Sequence[CheckedAnswer | Problem]) -> None:
        problems = [entry for entry in chunk if isinstance(entry, Problem)]
        checked_rows = [entry for entry in chunk if isinstance(entry, CheckedAnswer)]
        faults = sum(problem.line is None for problem in problems)
        matches, against = self._found(checked_rows)
        refused = len(problems) - faults + len(against)
        with transaction.atomic():
            # One import at a time writes into a project, so that no two of them can store the same verdict.
            Project.objects.select_for_update(no_key=True).get(pk=self._project.pk)
            new_count, duplicates, store_problems = self._store(matches)
            if new_count:
                values = {"file": shown_name(self._name), "judgements": new_count}
                record("judgements.imported", self._project, after=values)
        verdicts = sum(len(about.verdicts) for about in matches)
        self.report.faults += faults
        self.report.read += refused + verdicts
        self.report.kept += new_count
        self.report.duplicates += duplicates
        self.report.rejected += refused + verdicts - new_count - duplicates
        self.report.tell(sorted([*problems, *against, *store_problems], key=lambda problem: problem.line or 10**12))

    # --- what the verdicts are about ----------------------------------------------------------------------------------
    def _found(self, checked_rows: Sequence[CheckedAnswer]) -> tuple[list[PersonsVerdicts], list[Problem]]:
        """Verdicts about existing answers and questions, and a problem for each verdict without such a target."""
        judgements = [_lookup(checked_row) for checked_row in checked_rows]
        self._targets.find(judgements)
        targets = [self._targets.of(judgement) for judgement in judgements]
        answers = self._answers(
            {item_target.item_id for item_target in targets if isinstance(item_target, JudgedTarget)}
        )
        matches, problems = [], []
        for checked_row, target in zip(checked_rows, targets, strict=True):
            if isinstance(target, str):
                problems += [
                    Problem(self._name, check.line, checked_row.named_in, target) for check in checked_row.checks
                ]
                continue
            answer = answers.get((target.item_id, checked_row.author))
            if answer is None:
                message = _("There is no answer by “%(author)s” to this item. Import the answers or judgements first.")
                detail = message % {"author": checked_row.author}
                problems += [Problem(self._name, check.line, "author", detail) for check in checked_row.checks]
                continue
            verdicts, unknown = self._joined(checked_row, target)
            problems += unknown
            if verdicts:
                matches.append(PersonsVerdicts(checked_row, target, *answer, verdicts))
        return matches, problems

    def _answers(self, item_pks: set[int]) -> dict[tuple[int, str], tuple[int, str]]:
        """(item, author) -> the current answer and its text; the first of several samples. One query."""
        rows = Answer.objects.current().filter(item__in=item_pks, author__project=self._project).order_by("-sample")
        return {
            (item, author): (pk, text)
            for item, author, pk, text in rows.values_list("item_id", "author__name", "pk", "text")
        }

    def _joined(self, checked: CheckedAnswer, target: JudgedTarget) -> tuple[dict[int, Check], list[Problem]]:
        questions = {spaced(question.text): index for index, question in enumerate(target.judged.checklist)}
        numbers = {str(index + 1): index for index in questions.values()}
        verdicts: dict[int, Check] = {}
        problems = []
        for check in checked.checks:
            question_text = spaced(check.question)
            index = questions.get(question_text, numbers.get(question_text))
            if index is not None and index not in verdicts:
                verdicts[index] = check
                continue
            message = _("is not a question of this item's checklist: “%(question)s”.")
            if index is not None:
                message = _("is already answered by another verdict of the same rater: “%(question)s”.")
            detail = message % {"question": printable(question_text, most=80)}
            problems.append(Problem(self._name, check.line, "question", detail))
        return verdicts, problems

    # --- storing ------------------------------------------------------------------------------------------------------
    def _store(self, matches: Sequence[PersonsVerdicts]) -> tuple[int, int, list[Problem]]:
        """(new verdicts, verdicts stored before, problems)."""
        if not matches:
            return 0, 0, []
        vote_item_by_answer = self._vote_items(matches)
        draft_by_key = vote_items.stored_votes({vote_item.pk for vote_item in vote_item_by_answer.values()})
        new: list[tuple[vote_items.RaterKey, vote_items.Draft]] = []
        more: dict[vote_items.RaterKey, dict[str, Any]] = {}
        new_count = duplicates = 0
        problems: list[Problem] = []
        for about in matches:
            item = vote_item_by_answer[about.answer]
            if list(item.questions) != [question.text for question in about.target.judged.checklist]:
                message = _("The checklist has changed since people voted on this answer.")
                lines = [check.line for check in about.verdicts.values()]
                problems += [Problem(self._name, line, "question", message) for line in lines]
                continue
            vote_key = item.pk, about.checked.rater
            stored = draft_by_key.get(vote_key)
            draft, added, same, differing = _merged(stored, about.verdicts, len(item.questions))
            new_count += added
            duplicates += same + len(differing)
            problems += [self._differs(check, about.checked.rater) for check in differing]
            if added and stored is None:
                new.append((vote_key, draft))
            elif added:
                more[vote_key] = draft
            draft_by_key[vote_key] = draft
            problems += self._incomplete(about, draft)
        vote_items.store_votes(new, schema=self._votes.kind.schema)
        _complete(more)
        vote_items.decide({item for (item, _rater), _draft in new})
        return new_count, duplicates, problems

    def _differs(self, check: Check, rater: str) -> Problem:
        message = _("Already stored with another value: %(what)s. The stored value was kept.")
        detail = message % {"what": _("the vote of “%(rater)s”") % {"rater": rater}}
        return Problem(self._name, check.line, "verdict", detail, "warning")

    def _incomplete(self, about: PersonsVerdicts, draft: vote_items.Draft) -> list[Problem]:
        missing = sum(vote is None for vote in draft["votes"])
        if not missing:
            return []
        message = _("%(n)d of %(all)d questions have no verdict of this rater; they are left out of all numbers.")
        detail = message % {"n": missing, "all": len(draft["votes"])}
        return [Problem(self._name, about.checked.line, "question", detail, "warning")]

    def _vote_items(self, matches: Sequence[PersonsVerdicts]) -> dict[int, VoteItem]:
        """answer -> the item in which people vote on it; created if missing."""
        vote_item_by_answer = self._known({about.answer for about in matches})
        fresh = {about.answer: about for about in matches if about.answer not in vote_item_by_answer}
        if fresh:
            rows = [self._ready(about) for about in fresh.values()]
            vote_items.make_vote_items(self._votes, self._batch, rows)
            created_items = Item.objects.filter(project=self._votes, key__in=[row.voted.key for row in rows])
            pks = dict(created_items.values_list("key", "pk"))
            ballots = ((pks[row.voted.key], answer) for answer, row in zip(fresh, rows, strict=True))
            BulkInsert(Ballot, ("item_id", "first_id")).insert(ballots)
            vote_item_by_answer |= self._known(set(fresh))
        return vote_item_by_answer

    def _known(self, answers: set[int]) -> dict[int, VoteItem]:
        rows = Ballot.objects.filter(item__project=self._votes, study=None, first__in=answers)
        return {
            answer: VoteItem(pk, facts["questions"])
            for answer, pk, facts in rows.values_list("first_id", "item_id", "item__facts")
        }

    def _ready(self, about: PersonsVerdicts) -> ReadyVote:
        """The vote item; a sentence replaces the text of an answer if it is unknown."""
        kind = self._votes.kind
        text = about.text if about.text.strip() else _("The text of this answer is not here.")
        facts = kind.read_facts(kind.ballot(about.target.judged, [text]) or {})
        stored = facts.stored()
        side = AnswerSide(about.checked.author, text)
        vote = FileVote(about.checked.rater, {})
        key = f"v-{hashlib.sha256(f'file/{about.answer}'.encode()).hexdigest()[:12]}"
        source = Item.objects.filter(pk=about.target.item_id).values_list("group", "language").get()
        voted = Voted(about.checked.line, key, stored, [side], group=source[0], votes=[vote])
        return ReadyVote(voted, stored, content_hash(stored), kind.title(facts)[:160], source[1], [{}])


def _lookup(checked: CheckedAnswer) -> Judgement:
    """A Judgement by which the item is looked up."""
    texts = {"user_query": checked.text} if checked.text else {}
    return Judgement(checked.line, checked.author, checked.rater, checked.named_in, key=checked.key, texts=texts)


def _merged(
    stored: vote_items.Draft | None, verdicts: Verdicts, questions: int
) -> tuple[dict[str, Any], int, int, list[Check]]:
    """(draft, number of new verdicts, number of equal ones, those that differ)."""
    old_draft = stored or {"votes": [None] * questions, "reasons": [""] * questions, "recognised": False}
    votes, reasons = list(old_draft["votes"]), list(old_draft["reasons"])
    added = same = 0
    differing = []
    for index, check in verdicts.items():
        vote = VOTE_WORDS[check.met]
        if votes[index] is None:
            votes[index], reasons[index] = vote, check.reason
            added += 1
        elif votes[index] == vote:
            same += 1
        else:
            differing.append(check)
    return {**old_draft, "votes": votes, "reasons": reasons}, added, same, differing


def _complete(more: Mapping[vote_items.RaterKey, Mapping[str, Any]]) -> None:
    """Add verdicts of raters on further questions of answers that they have rated before."""
    for (item, rater), draft in more.items():
        Annotation.objects.filter(item=item, rater=rater, author=None, slot=None).update(draft=draft)
