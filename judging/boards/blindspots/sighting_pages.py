"""Explanations of judges that a model read, people's labels on them, to check that model, and the pages behind.

The sample is random and the same for everybody. People label an explanation without seeing what the model found in it.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext_lazy as _

from annotate.kinds.protocol import Message
from annotate.models import Item, Member, Project, User
from annotate.web.access import REVIEWERS, person, project_page
from judging.answers.cases import case_of
from judging.boards.blindspots.numbers import MISSED, pair_page, sightings_behind, sightings_of
from judging.boards.blindspots.page import SpotNames
from judging.boards.options import address_without, whole_number
from judging.models import ExplanationLabel, Judge, Verdict, VerdictQuerySet
from judging.verdicts.explanation_readings import ON_PERTURBED, gold_texts, label_of_perturbed, runs_of
from judging.verdicts.explanation_readings import explanation_page as read_explanation_page
from lib.stats.agreement import Coefficient, coefficients, ratings
from lib.stats.blindspots import SHAPES, UNPARSED

SIZE = 50
LABELS = {"yes": True, "no": False, "cannot_tell": None}


@dataclass(frozen=True)
class ToLabel:
    """What a person sees: what the model saw, without anything that the model or other people said about it.

    called: what the judge calls the perturbed answer, see `label_of_perturbed`.
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
    """The next explanation for one person. shown: None if nothing is left. done, of: their progress in the sample."""

    shown: ToLabel | None
    done: int
    of: int


def examined_verdicts(project: Project) -> VerdictQuerySet:
    """Verdicts on perturbed answers whose explanation is stored here and has been read, whoever read it."""
    read_verdicts = Verdict.objects.read().filter(
        ON_PERTURBED, judge__project=project, found_in_explanation__isnull=False
    )
    return read_verdicts.exclude(reason="")


def next_for(project: Project, person: User, *, size: int = SIZE) -> Turn:
    """The first of the sample that this person has not labelled. Four queries if all of the sample can be shown."""
    sample = list(islice(_showable(project, size), size))
    own_labels = ExplanationLabel.objects.filter(person=person, verdict__judge__project=project)
    labelled = set(own_labels.values_list("verdict_id", flat=True))
    unlabelled = [explanation for explanation in sample if explanation.verdict not in labelled]
    return Turn(unlabelled[0] if unlabelled else None, len(sample) - len(unlabelled), len(sample))


def label(*, verdict: Verdict, person: User, found: bool | None) -> None:
    """Store the person's label; it replaces an earlier one of theirs."""
    ExplanationLabel.objects.update_or_create(verdict=verdict, person=person, defaults={"found": found})


def _showable(project: Project, chunk: int) -> Iterator[ToLabel]:
    """In a fixed random order: what is read later is inserted in between, and the rest keeps its order."""
    keys = sorted(examined_verdicts(project).values_list("pk", flat=True), key=lambda pk: _place(project, pk))
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
    """None if a text is unknown, or no longer the one that the judge saw."""
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
        called=label_of_perturbed(verdict),
    )


# Agreement: how far people and the model find the same in explanations; counts, and the verdicts behind them.


PAGE = 25
BOTH_YES, BOTH_NO, READER_ONLY, PEOPLE_ONLY = "both_yes", "both_no", "reader_only", "people_only"
SPLIT, CANNOT_TELL = "split", "cannot_tell"
COMPARED = (BOTH_YES, BOTH_NO, READER_ONLY, PEOPLE_ONLY)
LEFT_OUT = (CANNOT_TELL, SPLIT)
# Number in the table -> the outcomes of the verdicts that it counts.
WHICH: Mapping[str, Sequence[str]] = {
    "compared": COMPARED,
    "agree": (BOTH_YES, BOTH_NO),
    READER_ONLY: (READER_ONLY,),
    PEOPLE_ONLY: (PEOPLE_ONLY,),
    "people_no": (BOTH_NO, READER_ONLY),
    "people_yes": (BOTH_YES, PEOPLE_ONLY),
    CANNOT_TELL: (CANNOT_TELL,),
    SPLIT: (SPLIT,),
}


@dataclass
class LabelledExplanation:
    """The labels of one explanation. reader: what the model found; yes, no, unsure: how many people say so."""

    verdict: int
    judge: int
    reader: bool
    yes: int = 0
    no: int = 0
    unsure: int = 0

    @property
    def people(self) -> bool | None:
        """The majority of the people who can tell; None if as many say yes as no, or nobody can tell."""
        return None if self.yes == self.no else self.yes > self.no

    @property
    def outcome(self) -> str:
        if self.people is None:
            return SPLIT if self.yes else CANNOT_TELL
        if self.people == self.reader:
            return BOTH_YES if self.reader else BOTH_NO
        return READER_ONLY if self.reader else PEOPLE_ONLY


@dataclass(frozen=True)
class ReaderAgreement:
    """The reader against people over the labelled verdicts. judge: None for all of them.

    counts: name in WHICH -> verdicts. percent: share of equal labels, 0..1; kappa: Cohen's; both over verdicts.
    """

    judge: Judge | None
    counts: Mapping[str, int]
    percent: Coefficient
    kappa: Coefficient

    @property
    def n(self) -> int:
        return self.counts["compared"]

    @property
    def query(self) -> str:
        """The query string of the page of verdicts for this judge."""
        return f"?judge={self.judge.pk if self.judge else 0}"

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the share of equal labels."""
        low, high = self.percent.low, self.percent.high
        return None if low is None or high is None else (low, high)


@dataclass(frozen=True)
class OpenedExplanation:
    verdict: Verdict
    heard: LabelledExplanation


@dataclass(frozen=True)
class OpenedPage:
    """before, after: where the neighbouring pages start; None if there is none."""

    opened: Sequence[OpenedExplanation]
    total: int
    before: int | None
    after: int | None


def reader_agreements(project: Project) -> list[ReaderAgreement]:
    """All judges together, then each, by name; empty if nobody has labelled. Two queries."""
    tallies = labelled_explanations(project)
    judges = Judge.objects.in_bulk({tally.judge for tally in tallies})
    ordered = sorted(judges.values(), key=lambda judge: (judge.name, judge.strategy, judge.variant, judge.version))
    judge_checks = [
        _reader_agreement(judge, [tally for tally in tallies if tally.judge == judge.pk]) for judge in ordered
    ]
    return [_reader_agreement(None, tallies), *judge_checks] if tallies else []


def labelled_explanations(project: Project) -> list[LabelledExplanation]:
    """Every verdict that somebody has labelled, by verdict. Labels of deleted verdicts do not count."""
    tally_by_verdict: dict[int, LabelledExplanation] = {}
    columns = ("verdict_id", "verdict__judge_id", "verdict__found_in_explanation", "found")
    rows = ExplanationLabel.objects.filter(verdict__in=examined_verdicts(project)).order_by("verdict_id", "pk")
    for verdict, judge, reader, label in rows.values_list(*columns):
        tally = tally_by_verdict.setdefault(verdict, LabelledExplanation(verdict, judge, reader))
        if label is None:
            tally.unsure += 1
        elif label:
            tally.yes += 1
        else:
            tally.no += 1
    return list(tally_by_verdict.values())


def explanations_behind(
    project: Project, *, which: str, judge: int = 0, start: int = 0, size: int = PAGE
) -> OpenedPage:
    """The verdicts that a number counts. which: a name in WHICH, else all labelled ones; judge: 0 for all."""
    outcomes = WHICH.get(which, (*COMPARED, *LEFT_OUT))
    tallies = [
        tally for tally in labelled_explanations(project) if tally.outcome in outcomes and judge in (0, tally.judge)
    ]
    page_tallies = tallies[start : start + size]
    verdicts = Verdict.objects.select_related("judge", "item").in_bulk([tally.verdict for tally in page_tallies])
    return OpenedPage(
        opened=[
            OpenedExplanation(verdicts[tally.verdict], tally) for tally in page_tallies if tally.verdict in verdicts
        ],
        total=len(tallies),
        before=max(start - size, 0) if start else None,
        after=start + size if start + size < len(tallies) else None,
    )


def _reader_agreement(judge: Judge | None, tallies: Sequence[LabelledExplanation]) -> ReaderAgreement:
    outcomes = Counter(tally.outcome for tally in tallies)
    coefficient_by_name = coefficients(ratings(_rows(tallies)), names=("percent", "cohen_kappa"))
    counts = {name: sum(outcomes[outcome] for outcome in among) for name, among in WHICH.items()}
    return ReaderAgreement(judge, counts, coefficient_by_name["percent"], coefficient_by_name["cohen_kappa"])


def _rows(tallies: Sequence[LabelledExplanation]) -> Iterator[tuple[str, str, bool]]:
    """The reader and people as two raters."""
    for tally in tallies:
        if tally.people is not None:
            yield str(tally.verdict), "reader", tally.reader
            yield str(tally.verdict), "people", tally.people


# Pages: pairs of a cell, explanations that a model read, people's labels, and the verdicts.


FILTERS = ("ability", "category", "outcome")


def blindspot_pairs(request: HttpRequest, member: Member) -> HttpResponse:
    """The pairs behind one cell: both texts, their difference, and what the judge said."""
    judge, shape = _column(request, member.project)
    filters = {name: request.GET.get(name, "") for name in FILTERS}
    pairs = sightings_behind(sightings_of(member.project, judge), shape=shape, **filters)
    names = SpotNames(member.project)
    context: dict[str, Any] = {
        "judge": judge,
        "shape": shape,
        "wanted": filters,
        "outcomes": [MISSED, *SHAPES[shape].outcomes, UNPARSED],
        "category": names.category(filters["category"]) if filters["category"] else "",
        "ability": names.ability((filters["ability"], filters["category"])) if filters["ability"] else "",
        "page": pair_page(pairs, after=_number(request, "after"), before=_number(request, "before")),
        "address": address_without(request, "after", "before"),
    }
    return project_page(request, member, "blindspots/pairs.html", context, tab="blindspots")


def _column(request: HttpRequest, project: Project) -> tuple[Judge, str]:
    """Judge and way of asking of an address such as `12-pairwise`."""
    number, _dash, shape = request.GET.get("column", "").partition("-")
    judge = Judge.objects.filter(project=project, pk=whole_number(number)).first()
    if judge is None or shape not in SHAPES:
        raise Http404
    return judge, shape


def _number(request: HttpRequest, name: str) -> int:
    return whole_number(request.GET.get(name, ""))


FEW = 10  # verdicts below which agreement says too little


def blindspot_explanations(request: HttpRequest, member: Member) -> HttpResponse:
    """Every explanation that a model has read; ?run= one run, ?came= the outcome, ?after= the cursor."""
    run, after = whole_number(request.GET.get("run", "")), whole_number(request.GET.get("after", ""))
    came = request.GET.get("came", "")
    explanation_page = read_explanation_page(member.project, run=run, came=came, after=after)
    context = {"runs": runs_of(member.project), "chosen": run, "came": came, "page": explanation_page}
    context |= {"checked": reader_agreements(member.project), "few": FEW, "labels": member.role in REVIEWERS}
    return project_page(request, member, "blindspots/explanations.html", context, tab="blindspots")


LARGEST = 2**63 - 1


class LabelForm(forms.Form):
    verdict = forms.IntegerField(min_value=1, max_value=LARGEST)
    found = forms.ChoiceField(choices=[("yes", _("Yes")), ("no", _("No")), ("cannot_tell", _("Cannot tell"))])


def blindspot_check(request: HttpRequest, member: Member) -> HttpResponse:
    """The next explanation of the sample; a POST stores this person's label of one."""
    if request.method != "POST":
        return _next(request, member)
    form = LabelForm(request.POST)
    if not form.is_valid():
        return _next(request, member, status=422)
    verdict = get_object_or_404(examined_verdicts(member.project), pk=form.cleaned_data["verdict"])
    label(verdict=verdict, person=person(request), found=LABELS[form.cleaned_data["found"]])
    return redirect("blindspot_check", member.project.slug)


def _next(request: HttpRequest, member: Member, *, status: int = 200) -> HttpResponse:
    context = {"turn": next_for(member.project, person(request)), "refused": status != 200}
    return project_page(request, member, "blindspots/check.html", context, tab="blindspots", status=status)


def blindspot_checked(request: HttpRequest, member: Member) -> HttpResponse:
    """The verdicts behind a number; ?which= is its name, ?judge= one judge, ?start= where to begin."""
    judge_pk, start = whole_number(request.GET.get("judge", "")), whole_number(request.GET.get("start", ""))
    judge = Judge.objects.filter(project=member.project, pk=judge_pk).first()
    which = request.GET.get("which", "")
    page = explanations_behind(member.project, which=which, judge=judge.pk if judge else 0, start=start)
    context = {"page": page, "judge": judge, "which": which}
    return project_page(request, member, "blindspots/checked.html", context, tab="blindspots")
