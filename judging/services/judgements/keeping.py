"""What a job of judging leaves: one verdict for each time that the judge was asked, with its parts."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from django.utils import timezone

from annotate import rows
from annotate.models import Job, Run
from judging.models import ExplanationLabel, Judge, Part, Verdict
from judging.services.judgements import raw
from judging.services.judgements.options import Wanted
from judging.services.judgements.samples import sample_of
from judging.services.judgements.subjects import Subject
from judging.services.scores import OWN_REFERENCE
from judging.strategies.base import Opinion, Piece, Unparsed
from judging.strategies.criteria import TASK_SPECIFIC
from judging.strategies.orders import Judgement

UNREAD = {"found_in_explanation": None, "found_from": ""}  # nobody has read the explanation of this verdict


def judge_of(run: Run, options: Wanted) -> Judge:
    """The judge whose verdicts the run makes, made where it is missing.

    One that any simulated model has spoken for counts as simulated. A judge that was told the task-specific texts when
    there were no others says nothing about them in its variant, and goes on as it is.
    """
    variant = variant_of(run, options)
    if TASK_SPECIFIC in variant and (older := _without_texts(run, options, variant)):
        mark_simulated(run, older.pk)
        return older
    judge, _made = Judge.objects.get_or_create(
        project=run.project,
        name=run.endpoint.model,
        strategy=options.strategy.slug,
        variant=variant,
        defaults={"simulated": run.endpoint.simulated},
    )
    mark_simulated(run, judge.pk)
    return judge


def _without_texts(run: Run, options: Wanted, variant: str) -> Judge | None:
    """The same judge, asked by us before there were two sets of texts."""
    words = " ".join(word for word in variant.split() if word != f"texts={TASK_SPECIFIC}")
    judges = Judge.objects.filter(project=run.project, name=run.endpoint.model, strategy=options.strategy.slug)
    older = judges.filter(variant=words).first()
    asked_by_us = older is not None and Run.objects.filter(project=run.project, options__judge=older.pk).exists()
    return older if asked_by_us else None


def variant_of(run: Run, options: Wanted) -> str:
    """What makes its verdicts another judge's: raw messages with their reader, which stand first and are never cut off;
    texts that are not as shipped; the strategy's options; references of authors' own; in a run about a sample also
    whose reference it is, for such runs ask one model beside several."""
    texts = list(run.texts.all())
    words = [raw.word_for(run.prompts.all(), texts), raw.word_for_texts(texts), options.strategy.variant(options.own)]
    if options.given.own_reference:
        words.append(OWN_REFERENCE)
    elif options.given.reference and sample_of(run) is not None:
        words.append(f"beside={options.given.reference}")
    return " ".join(filter(None, words))[:120]


def mark_simulated(run: Run, judge: int) -> None:
    """Where its endpoint is: a service may say so only when it is asked, long after the judge was made."""
    if run.endpoint.simulated:
        Judge.objects.filter(pk=judge, simulated=False).update(simulated=True)


@dataclass(frozen=True)
class Kept:
    """What one job leaves: its verdicts about its subject, for this judge."""

    job: Job
    judge: int
    subject: Subject
    outcome: Sequence[Judgement]


def keep(job_outcomes: Sequence[Kept]) -> None:
    """The verdicts of these jobs are these. One that says the same stays; another takes the place of the one before.

    Its place, and with it its age: a job that is read again says nothing that is newer than what later runs said.
    Four statements for all that is new, however many jobs.
    """
    for run, judge in {(job_outcome.job.run, job_outcome.judge) for job_outcome in job_outcomes}:
        mark_simulated(run, judge)
    stored = Verdict.objects.filter(job__in=[job_outcome.job for job_outcome in job_outcomes]).prefetch_related("parts")
    stored_by_key = {(verdict.job_id, verdict.repeat, verdict.swapped): verdict for verdict in stored}
    new: list[tuple[dict[str, Any], Sequence[Piece]]] = []
    for job_outcome in job_outcomes:
        for judgement in job_outcome.outcome:
            columns, pieces = _columns(judgement, job_outcome.subject), _pieces(judgement.said)
            old = stored_by_key.pop((job_outcome.job.pk, judgement.repeat, judgement.swapped), None)
            if old is None:
                new.append(
                    (_named(job_outcome.job, job_outcome.judge, job_outcome.subject, judgement) | columns, pieces)
                )
            elif not _same(old, columns, pieces):
                _replace(old, columns, pieces)
    keys = rows.insert(Verdict, [verdict for verdict, _pieces in new])
    _write([(key, pieces) for key, (_verdict, pieces) in zip(keys, new, strict=True)])
    for leftover in stored_by_key.values():
        leftover.delete()


def _replace(verdict: Verdict, columns: Mapping[str, Any], pieces: Sequence[Piece]) -> None:
    Verdict.objects.filter(pk=verdict.pk).update(**columns, **UNREAD)
    ExplanationLabel.objects.filter(verdict=verdict).delete()  # nor has anybody labelled it
    verdict.parts.all().delete()
    _write([(verdict.pk, pieces)])


def _write(verdicts: Sequence[tuple[int, Sequence[Piece]]]) -> None:
    """verdicts: the id of each, with its parts."""
    rows.insert(Part, [{"verdict_id": key, **vars(piece)} for key, pieces in verdicts for piece in pieces])


def _named(job: Job, judge: int, subject: Subject, judgement: Judgement) -> dict[str, Any]:
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
        "created_at": timezone.now(),
    }


def _columns(judgement: Judgement, subject: Subject) -> dict[str, Any]:
    assert subject.case is not None
    case_columns = {
        "case_sha": subject.case.sha256,
        "reference_id": subject.reference.pk if subject.reference else None,
    }
    return case_columns | (
        _unread(judgement) if isinstance(judgement.said, Unparsed) else _read(judgement.said, judgement.note)
    )


def _unread(judgement: Judgement) -> dict[str, Any]:
    reading = {
        "reading": Verdict.Reading.UNPARSED,
        "score_first": None,
        "score_second": None,
        "choice": "",
        "top": None,
    }
    return reading | {"reason": judgement.said.reason, "note": judgement.note}


def _read(opinion: Opinion, note: str) -> dict[str, Any]:
    return {
        "reading": Verdict.Reading.OK,
        "score_first": opinion.score_first,
        "score_second": opinion.score_second,
        "choice": opinion.choice,
        "top": opinion.top,
        "reason": opinion.reason,
        "note": "\n".join(filter(None, [note, opinion.note])),
    }


def _pieces(opinion: Opinion | Unparsed) -> Sequence[Piece]:
    return opinion.pieces if isinstance(opinion, Opinion) else ()


def _same(stored: Verdict, columns: Mapping[str, Any], pieces: Sequence[Piece]) -> bool:
    names = list(vars(Piece("")))
    parts = {part.axis: tuple(getattr(part, name) for name in names) for part in stored.parts.all()}
    return parts == {piece.axis: astuple(piece) for piece in pieces} and all(
        getattr(stored, name) == value for name, value in columns.items()
    )


def outcomes(run: Run, items: Sequence[int]) -> dict[int, dict[str, Any]]:
    """item -> what the run says there: author (with sample, opponent, repeat and order where there are any) -> verdict.

    Without reasons and notes, whose wording is another every time.
    """
    verdicts = Verdict.objects.filter(job__run=run, item__in=items).order_by("first__author__name", "pk")
    outcomes_by_item: dict[int, dict[str, Any]] = {}
    for verdict in verdicts.select_related("first__author", "second__author").prefetch_related("parts"):
        parts = {part.axis: (part.score_first, part.score_second) for part in verdict.parts.all()}
        scores = {"score": verdict.score_first, "second": verdict.score_second, "choice": verdict.choice or None}
        known_scores = {name: value for name, value in scores.items() if value is not None}
        outcomes_by_item.setdefault(verdict.item_id, {})[_label(verdict)] = {
            "reading": verdict.reading,
            **known_scores,
            **_plain(parts),
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
