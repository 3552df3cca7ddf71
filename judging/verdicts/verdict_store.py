"""Storage of verdicts: the judge that a run's verdicts belong to, and a verdict with parts for each question asked.

The first part is about raw messages to judges: the steps that allow them, and the variant of judges asked with them.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from django.utils import timezone
from django.utils.functional import Promise

from annotate import bulk_rows
from annotate.engine import prompt_files
from annotate.engine.prompt_files import shipped
from annotate.models import Job, PromptVersion, Run
from judging.models import NOT_FENCED, ExplanationLabel, Part, Verdict
from judging.readers.reader import OwnPattern, readers
from judging.strategies.orders import OrderJudgement
from judging.strategies.questions import possible_slots, problems_of, readers_for, unseen_of
from judging.strategies.strategy import Opinion, OpinionPart, Strategy, Unparsed, strategies
from judging.verdicts.judge_options import JudgeRunOptions
from judging.verdicts.subjects import JudgeSubject, sample_of
from judging.verdicts.verdict_scores import OWN_REFERENCE
from lib.texts.fencing import slots_of
from lib.texts.raw_messages import RawMessages, is_raw

DIGITS = 8  # of the hash that distinguishes the judges of two wordings


@dataclass(frozen=True)
class RawJudgeStep:
    """See annotate.engine.purposes.RawStep. shipped: the slots of the fenced prompt."""

    strategy: Strategy
    shipped: Sequence[str]

    @property
    def slots(self) -> Sequence[str]:
        return possible_slots(self.shipped)

    @property
    def readers(self) -> Sequence[tuple[str, str | Promise, str | Promise]]:
        choices = [
            (reader.slug, reader.name, reader.about) for reader in readers_for(self.strategy, readers().values())
        ]
        return [*choices, (OwnPattern.slug, OwnPattern.name, OwnPattern.about)]

    def problems(self, raw: RawMessages) -> list[str]:
        return problems_of(raw, self.strategy, self.shipped)

    def warnings(self, raw: RawMessages) -> list[str]:
        return list(unseen_of(raw, self.shipped))


def raw_step(scope: str, step: str) -> RawJudgeStep | None:
    """The step; None if no strategy of the family takes raw messages for it."""
    using = (
        candidate
        for candidate in strategies().values()
        if candidate.family == scope and step in candidate.steps and candidate.takes_raw
    )
    strategy, file = next(using, None), shipped(scope).get((step, "en"))
    return RawJudgeStep(strategy, sorted(slots_of(file.text))) if strategy and file else None


def word_for(versions: Iterable[PromptVersion], texts: Sequence[PromptVersion] = ()) -> str:
    """Part of a judge's variant: `not-fenced=` and a hash of the raw texts with their readers; "" if all is fenced.

    Verdicts by two wordings belong to two judges, because raw messages consist only of the lead's words. texts: of the
    run; a system rule without protection counts as raw messages do.
    """
    raw = [version.sha256 for version in versions if is_raw(version.text)]
    raw += [
        version.sha256
        for version in texts
        if prompt_files.is_unprotected(version.scope, version.step, version.language, version.text)
    ]
    return f"{NOT_FENCED}={_hash(sorted(raw))}" if raw else ""


def word_for_texts(texts: Sequence[PromptVersion]) -> str:
    """`own-texts=` and a hash of those texts in its prompts that differ from the shipped ones; "" if none differ."""
    changed = [
        f"{version.scope}.{version.step}.{version.language}={version.sha256}" for version in prompt_files.changed(texts)
    ]
    return f"own-texts={_hash(changed)}" if changed else ""


def _hash(words: Iterable[str]) -> str:
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:DIGITS]


# Storage: one verdict for each time that the judge was asked, with its parts.


UNREAD = {"found_in_explanation": None, "found_from": ""}  # columns of a verdict whose explanation nobody has read


def variant_of(run: Run, options: JudgeRunOptions) -> str:
    """The options that distinguish its judge from others: raw messages with their reader, which come first and are
    never cut off; texts that differ from the shipped ones; the strategy's options; authors' own references; in a run
    about a sample also the author of the reference, because such runs ask one model with several references."""
    texts = list(run.texts.all())
    words = [word_for(run.prompts.all(), texts), word_for_texts(texts), options.strategy.variant(options.own)]
    if options.given.own_reference:
        words.append(OWN_REFERENCE)
    elif options.given.reference and sample_of(run) is not None:
        words.append(f"beside={options.given.reference}")
    return " ".join(filter(None, words))[:120]


@dataclass(frozen=True)
class StoredVerdicts:
    """The result of one job: its verdicts about its subject, for this judge."""

    job: Job
    judge: int
    subject: JudgeSubject
    outcome: Sequence[OrderJudgement]


def store_verdicts(job_outcomes: Sequence[StoredVerdicts]) -> None:
    """Store the verdicts of these jobs. An equal stored verdict is kept; a different one is replaced in place.

    In place means that it keeps its age: a job that is read again gives nothing newer than what later runs gave.
    Four statements for all new verdicts.
    """
    stored = Verdict.objects.filter(job__in=[job_outcome.job for job_outcome in job_outcomes]).prefetch_related("parts")
    stored_by_key = {(verdict.job_id, verdict.repeat, verdict.swapped): verdict for verdict in stored}
    new: list[tuple[dict[str, Any], Sequence[OpinionPart]]] = []
    now = timezone.now()
    for job_outcome in job_outcomes:
        for judgement in job_outcome.outcome:
            columns, pieces = _columns(judgement, job_outcome.subject), _pieces(judgement.said)
            old = stored_by_key.pop((job_outcome.job.pk, judgement.repeat, judgement.swapped), None)
            if old is None:
                key = _verdict_key(job_outcome.job, job_outcome.judge, job_outcome.subject, judgement)
                new.append((key | columns | {"created_at": now}, pieces))
            elif not _same(old, columns, pieces):
                _replace(old, columns, pieces)
    keys = bulk_rows.insert(Verdict, [verdict for verdict, _pieces in new])
    _write([(key, pieces) for key, (_verdict, pieces) in zip(keys, new, strict=True)])
    for leftover in stored_by_key.values():
        leftover.delete()


def _replace(verdict: Verdict, columns: Mapping[str, Any], pieces: Sequence[OpinionPart]) -> None:
    Verdict.objects.filter(pk=verdict.pk).update(**columns, **UNREAD)
    ExplanationLabel.objects.filter(verdict=verdict).delete()  # and nobody has labelled the new one
    verdict.parts.all().delete()
    _write([(verdict.pk, pieces)])


def _write(verdicts: Sequence[tuple[int, Sequence[OpinionPart]]]) -> None:
    """verdicts: the id of each, with its parts."""
    bulk_rows.insert(Part, [{"verdict_id": key, **vars(piece)} for key, pieces in verdicts for piece in pieces])


def _verdict_key(job: Job, judge: int, subject: JudgeSubject, judgement: OrderJudgement) -> dict[str, Any]:
    return {
        "judge_id": judge,
        "job_id": job.pk,
        "source": "",
        "item_id": subject.first.item_id,
        "first_id": subject.first.pk,
        "second_id": subject.second.pk if subject.second else None,
        "repeat": judgement.repeat,
        "swapped": judgement.swapped,
        **UNREAD,
    }


def _columns(judgement: OrderJudgement, subject: JudgeSubject) -> dict[str, Any]:
    assert subject.case is not None
    case_columns = {
        "case_sha": subject.case.sha256,
        "reference_id": subject.reference.pk if subject.reference else None,
    }
    return case_columns | (
        _unread(judgement) if isinstance(judgement.said, Unparsed) else _reading_columns(judgement.said, judgement.note)
    )


def _unread(judgement: OrderJudgement) -> dict[str, Any]:
    reading = {
        "reading": Verdict.Reading.UNPARSED,
        "score_first": None,
        "score_second": None,
        "choice": "",
        "top": None,
    }
    return reading | {"reason": judgement.said.reason, "note": judgement.note}


def _reading_columns(opinion: Opinion, note: str) -> dict[str, Any]:
    return {
        "reading": Verdict.Reading.OK,
        "score_first": opinion.score_first,
        "score_second": opinion.score_second,
        "choice": opinion.choice,
        "top": opinion.top,
        "reason": opinion.reason,
        "note": "\n".join(filter(None, [note, opinion.note])),
    }


def _pieces(opinion: Opinion | Unparsed) -> Sequence[OpinionPart]:
    return opinion.pieces if isinstance(opinion, Opinion) else ()


def _same(stored: Verdict, columns: Mapping[str, Any], pieces: Sequence[OpinionPart]) -> bool:
    names = list(vars(OpinionPart("")))
    parts = {part.axis: tuple(getattr(part, name) for name in names) for part in stored.parts.all()}
    return parts == {piece.axis: astuple(piece) for piece in pieces} and all(
        getattr(stored, name) == value for name, value in columns.items()
    )


def outcomes(run: Run, items: Sequence[int]) -> dict[int, dict[str, Any]]:
    """item -> author (with sample, opponent, repeat and order, if there are any) -> verdict of the run, with the scores
    by each criterion, or the answers to own questions.

    Without reasons and notes, whose wording differs every time.
    """
    verdicts = Verdict.objects.filter(job__run=run, item__in=items).order_by("first__author__name", "pk")
    strategy = strategies().get(run.options.get("strategy", ""))
    by_label = strategy is not None and strategy.asks_questions
    outcomes_by_item: dict[int, dict[str, Any]] = {}
    for verdict in verdicts.select_related("first__author", "second__author").prefetch_related("parts"):
        parts = {part.axis: (part.score_first, part.score_second) for part in verdict.parts.all()}
        scores = {"score": verdict.score_first, "second": verdict.score_second, "choice": verdict.choice or None}
        known_scores = {name: value for name, value in scores.items() if value is not None}
        outcomes_by_item.setdefault(verdict.item_id, {})[_label(verdict)] = {
            "reading": verdict.reading,
            **known_scores,
            **({part.axis: part.label for part in verdict.parts.all()} if by_label else _plain(parts)),
        }
    return outcomes_by_item


def _plain(parts: Mapping[str, tuple[float | None, float | None]]) -> dict[str, Any]:
    return {axis: first if second is None else [first, second] for axis, (first, second) in parts.items()}


def _label(verdict: Verdict) -> str:
    answers = [verdict.first] if verdict.second is None else [verdict.first, verdict.second]
    names = [answer.author.name + (f" #{answer.sample}" if answer.sample > 1 else "") for answer in answers]
    return (
        " – ".join(names)
        + (f", {verdict.repeat}" if verdict.repeat > 1 else "")
        + (", swapped" if verdict.swapped else "")
    )
