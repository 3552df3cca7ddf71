"""What a job of judging leaves: one verdict for each time that the judge was asked, with its parts."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

from annotate.models import Job, Run
from judging.models import Judge, Part, Verdict
from judging.services.judgements.options import Wanted
from judging.services.judgements.subjects import Subject
from judging.strategies.base import Opinion, Piece, Unparsed
from judging.strategies.orders import Judgement


def judge_of(run: Run, wanted: Wanted) -> Judge:
    """The judge whose verdicts the run makes, made where it is missing.

    One that any simulated model has spoken for counts as simulated.
    """
    judge, _made = Judge.objects.get_or_create(
        project=run.project,
        name=run.endpoint.model,
        strategy=wanted.strategy.slug,
        variant=wanted.strategy.variant(wanted.own)[:120],
        defaults={"simulated": run.endpoint.simulated},
    )
    if run.endpoint.simulated and not judge.simulated:
        Judge.objects.filter(pk=judge.pk).update(simulated=True)
    return judge


def keep(job: Job, judge: int, subject: Subject, outcome: Sequence[Judgement]) -> None:
    """The verdicts of this job are these. Those that are there and say the same stay; others give way to new ones."""
    assert subject.case is not None
    before = {(one.repeat, one.swapped): one for one in Verdict.objects.filter(job=job).prefetch_related("parts")}
    for one in outcome:
        columns = _columns(one) | {
            "case_sha": subject.case.judged.sha256,
            "reference_id": subject.reference.pk if subject.reference else None,
        }
        pieces = _pieces(one.said)
        there = before.pop((one.repeat, one.swapped), None)
        if there is not None:
            if _same(there, columns, pieces):
                continue
            there.delete()
        verdict = Verdict.objects.create(
            judge_id=judge,
            job=job,
            item_id=subject.first.item_id,
            first=subject.first,
            second=subject.second,
            repeat=one.repeat,
            swapped=one.swapped,
            **columns,
        )
        Part.objects.bulk_create(Part(verdict=verdict, **vars(piece)) for piece in pieces)
    for left in before.values():
        left.delete()


def _columns(one: Judgement) -> dict[str, Any]:
    said = one.said
    if isinstance(said, Unparsed):
        return {"reading": Verdict.Reading.UNPARSED, "reason": said.reason, "note": one.note} | dict(NOTHING)
    return {
        "reading": Verdict.Reading.OK,
        "score_first": said.score_first,
        "score_second": said.score_second,
        "choice": said.choice,
        "reason": said.reason,
        "note": "\n".join(filter(None, [one.note, said.note])),
    }


NOTHING: Mapping[str, Any] = {"score_first": None, "score_second": None, "choice": ""}


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
        told.setdefault(one.item_id, {})[_name(one)] = {"reading": one.reading, **said, **_plain(parts)}
    return told


def _plain(parts: Mapping[str, tuple[float | None, float | None]]) -> dict[str, Any]:
    return {axis: first if second is None else [first, second] for axis, (first, second) in parts.items()}


def _name(one: Verdict) -> str:
    answers = [one.first] if one.second is None else [one.first, one.second]
    names = [each.author.name + (f" #{each.sample}" if each.sample > 1 else "") for each in answers]
    return " – ".join(names) + (f", {one.repeat}" if one.repeat > 1 else "") + (", swapped" if one.swapped else "")
