"""People's verdicts on checklists, from a file about answers that are here: they become votes as those typed in are.

The votes go into a project of checklist votes beside this one, under the names that the file gives the people. A
verdict on one question is what is counted as read, kept, duplicate or rejected.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.formats.rows import Problem, printable
from annotate.models import Annotation, Batch, Item, Project
from annotate.services.importing.rows import content_hash
from judging.formats.base import Check, Checked, Judgement, JudgementFormat, Side, Vote, Voted
from judging.formats.checklist_votes import spaced
from judging.models import Answer, Ballot
from judging.services.judgement_files.intake import JudgementReport
from judging.services.judgement_files.targets import Target, Targets
from judging.services.judgement_files.votes import items, people
from judging.services.judgement_files.votes.beside import refuse_taken, votes_beside
from judging.services.judgement_files.votes.intake import COUNTED, begun
from judging.services.judgement_files.votes.ready import Ready
from lib.texts.said import say as _

VOTES = "checklist_vote"  # the kind in which people vote on checklists
SAID = {True: "yes", False: "no", None: "cannot_tell"}
Verdicts = Mapping[int, Check]  # place of the question, from 0 -> what was said


@dataclass(frozen=True)
class About:
    """One person's verdicts on one answer that is here."""

    checked: Checked
    target: Target
    answer: int
    text: str
    verdicts: Verdicts


@dataclass(frozen=True)
class VoteItem:
    """Where votes on one answer are. questions: those that it asks."""

    pk: int
    questions: Sequence[str]


class CheckedIntake:
    """One file of people's verdicts."""

    def __init__(self, project: Project, file_format: JudgementFormat, path: Path, name: str) -> None:
        refuse_taken(project, VOTES)
        self.report = JudgementReport()
        self._project, self._name, self._path, self._wanted = project, name, path, file_format
        self._targets = Targets(project)

    @cached_property
    def _votes(self) -> Project:
        """Where people's votes are; made when the first one comes."""
        return votes_beside(self._project, VOTES)

    @cached_property
    def _batch(self) -> Batch:
        return begun(self._votes, self._wanted, self._path, self._name)

    def end(self) -> JudgementReport:
        """Write down in the list of imports what came of the file."""
        if "_batch" in vars(self):
            counts = {name: getattr(self.report, name) for name in COUNTED}
            own_batch = Batch.objects.filter(pk=self._batch.pk)
            own_batch.update(**counts, state=Batch.State.DONE, lease_until=None, finished_at=timezone.now())
        return self.report

    def take(self, chunk: Sequence[Checked | Problem]) -> None:
        problems = [entry for entry in chunk if isinstance(entry, Problem)]
        checked_rows = [entry for entry in chunk if isinstance(entry, Checked)]
        faults = sum(problem.line is None for problem in problems)
        matches, against = self._found(checked_rows)
        refused = len(problems) - faults + len(against)
        with transaction.atomic():
            # One import at a time writes into a project, so that no two of them can store the same verdict.
            Project.objects.select_for_update(no_key=True).get(pk=self._project.pk)
            new_count, duplicates, store_problems = self._store(matches)
        verdicts = sum(len(about.verdicts) for about in matches)
        self.report.faults += faults
        self.report.read += refused + verdicts
        self.report.kept += new_count
        self.report.duplicates += duplicates
        self.report.rejected += refused + verdicts - new_count - duplicates
        self.report.tell(sorted([*problems, *against, *store_problems], key=lambda problem: problem.line or 10**12))

    # --- what the verdicts are about ----------------------------------------------------------------------------------
    def _found(self, checked_rows: Sequence[Checked]) -> tuple[list[About], list[Problem]]:
        """Those about answers and questions that are here, and a problem for each verdict that is about nothing."""
        judgements = [_wanted(checked_row) for checked_row in checked_rows]
        self._targets.find(judgements)
        targets = [self._targets.of(judgement) for judgement in judgements]
        answers = self._answers({item_target.item_id for item_target in targets if isinstance(item_target, Target)})
        matches, problems = [], []
        for checked_row, target in zip(checked_rows, targets, strict=True):
            if isinstance(target, str):
                problems += [
                    Problem(self._name, check.line, checked_row.named_in, target) for check in checked_row.checks
                ]
                continue
            answer = answers.get((target.item_id, checked_row.author))
            if answer is None:
                message = _("No answer of “%(author)s” to this item is here. Import the answers or judgements first.")
                detail = message % {"author": checked_row.author}
                problems += [Problem(self._name, check.line, "author", detail) for check in checked_row.checks]
                continue
            verdicts, unknown = self._joined(checked_row, target)
            problems += unknown
            if verdicts:
                matches.append(About(checked_row, target, *answer, verdicts))
        return matches, problems

    def _answers(self, item_pks: set[int]) -> dict[tuple[int, str], tuple[int, str]]:
        """(item, author) -> the answer of today and its text; of several samples the first. One query."""
        rows = Answer.objects.current().filter(item__in=item_pks, author__project=self._project).order_by("-sample")
        return {
            (item, author): (pk, text)
            for item, author, pk, text in rows.values_list("item_id", "author__name", "pk", "text")
        }

    def _joined(self, checked: Checked, target: Target) -> tuple[dict[int, Check], list[Problem]]:
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
            message = _("is no question of this item's checklist: “%(question)s”.")
            if index is not None:
                message = _("asks what another verdict of the same rater answers: “%(question)s”.")
            detail = message % {"question": printable(question_text, most=80)}
            problems.append(Problem(self._name, check.line, "question", detail))
        return verdicts, problems

    # --- storing ------------------------------------------------------------------------------------------------------
    def _store(self, matches: Sequence[About]) -> tuple[int, int, list[Problem]]:
        """(new verdicts, verdicts that were here, what is to be told)."""
        if not matches:
            return 0, 0, []
        vote_item_by_answer = self._vote_items(matches)
        draft_by_key = people.there({vote_item.pk for vote_item in vote_item_by_answer.values()})
        new: list[tuple[people.Place, people.Draft]] = []
        more: dict[people.Place, dict[str, Any]] = {}
        new_count = duplicates = 0
        problems: list[Problem] = []
        for about in matches:
            item = vote_item_by_answer[about.answer]
            if list(item.questions) != [question.text for question in about.target.judged.checklist]:
                message = _("The checklist was changed after people voted on this answer by the older one.")
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
        people.store(new, schema=self._votes.kind.schema)
        _complete(more)
        people.decide({item for (item, _rater), _draft in new})
        return new_count, duplicates, problems

    def _differs(self, check: Check, rater: str) -> Problem:
        message = _("Already here and said otherwise: %(what)s. What is here stays.")
        detail = message % {"what": _("the vote of “%(rater)s”") % {"rater": rater}}
        return Problem(self._name, check.line, "verdict", detail, "warning")

    def _incomplete(self, about: About, draft: people.Draft) -> list[Problem]:
        missing = sum(vote is None for vote in draft["votes"])
        if not missing:
            return []
        message = _("%(n)d of %(all)d questions have no verdict of this rater; they are left out of all figures.")
        detail = message % {"n": missing, "all": len(draft["votes"])}
        return [Problem(self._name, about.checked.line, "question", detail, "warning")]

    def _vote_items(self, matches: Sequence[About]) -> dict[int, VoteItem]:
        """answer -> the item by which people vote on it; made where it is missing."""
        vote_item_by_answer = self._known({about.answer for about in matches})
        fresh = {about.answer: about for about in matches if about.answer not in vote_item_by_answer}
        if fresh:
            rows = [self._ready(about) for about in fresh.values()]
            items.make(self._votes, self._batch, rows)
            created_items = Item.objects.filter(project=self._votes, key__in=[row.voted.key for row in rows])
            pks = dict(created_items.values_list("key", "pk"))
            Ballot.objects.bulk_create(
                Ballot(item_id=pks[row.voted.key], first_id=answer) for answer, row in zip(fresh, rows, strict=True)
            )
            vote_item_by_answer |= self._known(set(fresh))
        return vote_item_by_answer

    def _known(self, answers: set[int]) -> dict[int, VoteItem]:
        rows = Ballot.objects.filter(item__project=self._votes, study=None, first__in=answers)
        return {
            answer: VoteItem(pk, facts["questions"])
            for answer, pk, facts in rows.values_list("first_id", "item_id", "item__facts")
        }

    def _ready(self, about: About) -> Ready:
        """The vote item; where the text of an answer is not known, a sentence stands in its place."""
        kind = self._votes.kind
        text = about.text if about.text.strip() else _("The text of this answer is not here.")
        facts = kind.read_facts(kind.ballot(about.target.judged, [text]) or {})
        stored = facts.stored()
        side = Side(about.checked.author, text)
        vote = Vote(about.checked.rater, {})
        key = f"v-{hashlib.sha256(f'file/{about.answer}'.encode()).hexdigest()[:12]}"
        source = Item.objects.filter(pk=about.target.item_id).values_list("group", "language").get()
        voted = Voted(about.checked.line, key, stored, [side], group=source[0], votes=[vote])
        return Ready(voted, stored, content_hash(stored), kind.title(facts)[:160], source[1], [{}])


def _wanted(checked: Checked) -> Judgement:
    """By which the item is looked up."""
    texts = {"user_query": checked.text} if checked.text else {}
    return Judgement(checked.line, checked.author, checked.rater, checked.named_in, key=checked.key, texts=texts)


def _merged(
    stored: people.Draft | None, verdicts: Verdicts, questions: int
) -> tuple[dict[str, Any], int, int, list[Check]]:
    """(draft, how many verdicts are new, how many say the same, those that say something else)."""
    old_draft = stored or {"votes": [None] * questions, "reasons": [""] * questions, "recognised": False}
    votes, reasons = list(old_draft["votes"]), list(old_draft["reasons"])
    added = same = 0
    differing = []
    for index, check in verdicts.items():
        vote = SAID[check.met]
        if votes[index] is None:
            votes[index], reasons[index] = vote, check.reason
            added += 1
        elif votes[index] == vote:
            same += 1
        else:
            differing.append(check)
    return {**old_draft, "votes": votes, "reasons": reasons}, added, same, differing


def _complete(more: Mapping[people.Place, Mapping[str, Any]]) -> None:
    """Verdicts of a rater on further questions of answers that this rater has said something about before."""
    for (item, rater), draft in more.items():
        Annotation.objects.filter(item=item, rater=rater, author=None, slot=None).update(draft=draft)
