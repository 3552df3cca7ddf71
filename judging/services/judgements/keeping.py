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


def judge_of(run: Run, wanted: Wanted) -> Judge:
    """The judge whose verdicts the run makes, made where it is missing.

    One that any simulated model has spoken for counts as simulated. A judge that was told the task-specific texts when
    there were no others says nothing about them in its variant, and goes on as it is.
    """
    variant = variant_of(run, wanted)
    if TASK_SPECIFIC in variant and (older := _without_texts(run, wanted, variant)):
        mark_simulated(run, older.pk)
        return older
    judge, _made = Judge.objects.get_or_create(
        project=run.project,
        name=run.endpoint.model,
        strategy=wanted.strategy.slug,
        variant=variant,
        defaults={"simulated": run.endpoint.simulated},
    )
    mark_simulated(run, judge.pk)
    return judge


def _without_texts(run: Run, wanted: Wanted, variant: str) -> Judge | None:
    """The same judge, asked by us before there were two sets of texts."""
    words = " ".join(word for word in variant.split() if word != f"texts={TASK_SPECIFIC}")
    asked = Judge.objects.filter(project=run.project, name=run.endpoint.model, strategy=wanted.strategy.slug)
    older = asked.filter(variant=words).first()
    asked_by_us = older is not None and Run.objects.filter(project=run.project, options__judge=older.pk).exists()
    return older if asked_by_us else None


def variant_of(run: Run, wanted: Wanted) -> str:
    """What makes its verdicts another judge's: raw messages with their reader, which stand first and are never cut off;
    texts that are not as shipped; the strategy's options; references of authors' own; in a run about a sample also
    whose reference it is, for such runs ask one model beside several."""
    texts = list(run.texts.all())
    words = [raw.word_for(run.prompts.all(), texts), raw.word_for_texts(texts), wanted.strategy.variant(wanted.own)]
    if wanted.given.own_reference:
        words.append(OWN_REFERENCE)
    elif wanted.given.reference and sample_of(run) is not None:
        words.append(f"beside={wanted.given.reference}")
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


def keep(together: Sequence[Kept]) -> None:
    """The verdicts of these jobs are these. One that says the same stays; another takes the place of the one before.

    Its place, and with it its age: a job that is read again says nothing that is newer than what later runs said.
    Four statements for all that is new, however many jobs.
    """
    for run, judge in {(kept.job.run, kept.judge) for kept in together}:
        mark_simulated(run, judge)
    there = Verdict.objects.filter(job__in=[kept.job for kept in together]).prefetch_related("parts")
    before = {(one.job_id, one.repeat, one.swapped): one for one in there}
    new: list[tuple[dict[str, Any], Sequence[Piece]]] = []
    for kept in together:
        for one in kept.outcome:
            columns, pieces = _columns(one, kept.subject), _pieces(one.said)
            old = before.pop((kept.job.pk, one.repeat, one.swapped), None)
            if old is None:
                new.append((_named(kept.job, kept.judge, kept.subject, one) | columns, pieces))
            elif not _same(old, columns, pieces):
                _replace(old, columns, pieces)
    keys = rows.insert(Verdict, [verdict for verdict, _pieces in new])
    _write([(key, pieces) for key, (_verdict, pieces) in zip(keys, new, strict=True)])
    for left in before.values():
        left.delete()


def _replace(verdict: Verdict, columns: Mapping[str, Any], pieces: Sequence[Piece]) -> None:
    Verdict.objects.filter(pk=verdict.pk).update(**columns, **UNREAD)
    ExplanationLabel.objects.filter(verdict=verdict).delete()  # nor has anybody labelled it
    verdict.parts.all().delete()
    _write([(verdict.pk, pieces)])


def _write(verdicts: Sequence[tuple[int, Sequence[Piece]]]) -> None:
    """verdicts: the id of each, with its parts."""
    rows.insert(Part, [{"verdict_id": key, **vars(piece)} for key, pieces in verdicts for piece in pieces])


def _named(job: Job, judge: int, subject: Subject, one: Judgement) -> dict[str, Any]:
    return {
        "judge_id": judge,
        "job_id": job.pk,
        "source": "",
        "item_id": subject.first.item_id,
        "first_id": subject.first.pk,
        "second_id": subject.second.pk if subject.second else None,
        "repeat": one.repeat,
        "swapped": one.swapped,
        **UNREAD,
        "created_at": timezone.now(),
    }


def _columns(one: Judgement, subject: Subject) -> dict[str, Any]:
    assert subject.case is not None
    shown = {
        "case_sha": subject.case.sha256,
        "reference_id": subject.reference.pk if subject.reference else None,
    }
    return shown | (_unread(one) if isinstance(one.said, Unparsed) else _read(one.said, one.note))


def _unread(one: Judgement) -> dict[str, Any]:
    reading = {
        "reading": Verdict.Reading.UNPARSED,
        "score_first": None,
        "score_second": None,
        "choice": "",
        "top": None,
    }
    return reading | {"reason": one.said.reason, "note": one.note}


def _read(said: Opinion, note: str) -> dict[str, Any]:
    return {
        "reading": Verdict.Reading.OK,
        "score_first": said.score_first,
        "score_second": said.score_second,
        "choice": said.choice,
        "top": said.top,
        "reason": said.reason,
        "note": "\n".join(filter(None, [note, said.note])),
    }


def _pieces(said: Opinion | Unparsed) -> Sequence[Piece]:
    return said.pieces if isinstance(said, Opinion) else ()


def _same(there: Verdict, columns: Mapping[str, Any], pieces: Sequence[Piece]) -> bool:
    names = list(vars(Piece("")))
    parts = {part.axis: tuple(getattr(part, name) for name in names) for part in there.parts.all()}
    return parts == {piece.axis: astuple(piece) for piece in pieces} and all(
        getattr(there, name) == value for name, value in columns.items()
    )


def outcomes(run: Run, items: Sequence[int]) -> dict[int, dict[str, Any]]:
    """item -> what the run says there: author (with sample, opponent, repeat and order where there are any) -> verdict.

    Without reasons and notes, whose wording is another every time.
    """
    found = Verdict.objects.filter(job__run=run, item__in=items).order_by("first__author__name", "pk")
    told: dict[int, dict[str, Any]] = {}
    for one in found.select_related("first__author", "second__author").prefetch_related("parts"):
        parts = {part.axis: (part.score_first, part.score_second) for part in one.parts.all()}
        scores = {"score": one.score_first, "second": one.score_second, "choice": one.choice or None}
        said = {name: value for name, value in scores.items() if value is not None}
        told.setdefault(one.item_id, {})[_label(one)] = {"reading": one.reading, **said, **_plain(parts)}
    return told


def _plain(parts: Mapping[str, tuple[float | None, float | None]]) -> dict[str, Any]:
    return {axis: first if second is None else [first, second] for axis, (first, second) in parts.items()}


def _label(one: Verdict) -> str:
    answers = [one.first] if one.second is None else [one.first, one.second]
    names = [each.author.name + (f" #{each.sample}" if each.sample > 1 else "") for each in answers]
    return " – ".join(names) + (f", {one.repeat}" if one.repeat > 1 else "") + (", swapped" if one.swapped else "")
