"""Which explanations people label, to check the model that has read them: a random sample, the same for everybody."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from annotate.kinds.protocol import Message
from annotate.models import Item, Project, User
from judging.models import ExplanationLabel, Verdict, VerdictQuerySet
from judging.services.blindspots.explanations import ON_PERTURBED, called, gold_texts
from judging.services.cases import case_of

SIZE = 50
LABELS = {"yes": True, "no": False, "cannot_tell": None}


@dataclass(frozen=True)
class ToLabel:
    """What a person gets to see: what the model saw, and nothing of what it or anybody else said about it.

    called: as in `explanations.called`.
    """

    verdict: int
    item: Item
    messages: Sequence[Message]
    gold: str
    perturbed: str
    explanation: str
    called: str


@dataclass(frozen=True)
class Turn:
    """What is next for one person. shown: None where nothing is left. done, of: how far they are in the sample."""

    shown: ToLabel | None
    done: int
    of: int


def examined(project: Project) -> VerdictQuerySet:
    """Verdicts on perturbed answers whose explanation stands here and has been read, whoever read it."""
    read_verdicts = Verdict.objects.read().filter(
        ON_PERTURBED, judge__project=project, found_in_explanation__isnull=False
    )
    return read_verdicts.exclude(reason="")


def next_for(project: Project, person: User, *, size: int = SIZE) -> Turn:
    """The first of the sample that this person has not labelled. Four queries for samples that all can be shown."""
    sample = list(islice(_showable(project, size), size))
    own_labels = ExplanationLabel.objects.filter(person=person, verdict__judge__project=project)
    labelled = set(own_labels.values_list("verdict_id", flat=True))
    unlabelled = [explanation for explanation in sample if explanation.verdict not in labelled]
    return Turn(unlabelled[0] if unlabelled else None, len(sample) - len(unlabelled), len(sample))


def label(*, verdict: Verdict, person: User, found: bool | None) -> None:
    """This is what the person says of it; what they said of it before is replaced."""
    ExplanationLabel.objects.update_or_create(verdict=verdict, person=person, defaults={"found": found})


def _showable(project: Project, chunk: int) -> Iterator[ToLabel]:
    """In an order that is random and stays: what is read later falls in between, and moves nothing else."""
    keys = sorted(examined(project).values_list("pk", flat=True), key=lambda pk: _place(project, pk))
    related = ("first__author", "second", "item__base", "item__project")
    for start in range(0, len(keys), chunk):
        some = keys[start : start + chunk]
        verdicts = Verdict.objects.select_related(*related).in_bulk(some)
        gold = gold_texts(verdict.item_id for verdict in verdicts.values())
        for pk in some:
            if pk in verdicts and (candidate := _to_label(verdicts[pk], gold.get(verdicts[pk].item_id))):
                yield candidate


def _place(project: Project, verdict: int) -> bytes:
    return hashlib.sha256(f"{project.pk}/{verdict}".encode()).digest()


def _to_label(verdict: Verdict, gold: str | None) -> ToLabel | None:
    """None where a text is not known, or no longer what the judge saw."""
    case, answer = case_of(verdict.item), verdict.second or verdict.first
    if case is None or gold is None or not answer.known or case.judged.sha256 != verdict.case_sha:
        return None
    return ToLabel(
        verdict=verdict.pk,
        item=verdict.item,
        messages=case.judged.messages,
        gold=gold,
        perturbed=answer.text,
        explanation=verdict.reason,
        called=called(verdict),
    )
