"""Bridging: the same pairs judged by a judge's own criteria and by those recovered from others' judgements.

The workshop is a place of work, not a board of numbers, so it uses only the frame's options. Judgements are approved or
edited at the desk; the workshop links to it.
"""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext_lazy as _
from pydantic import Field, field_validator

from annotate import errors
from annotate.models import Item, Member, Project, Slot
from annotate.web.access import LEADS, REVIEWERS, person, project_page
from annotate.work import desk
from judging.access import takes_judgements
from judging.boards.board import POST, Board, Place, SubPage
from judging.boards.bridging import numbers
from judging.boards.bridging.numbers import OUTCOMES, BridgingRow, Compare, compare_bridging
from judging.boards.bridging.proposals import approve_part, make_judgements, possible_sources
from judging.boards.bridging.stages import PROPOSED, STAGES, BridgingProgress, listed, next_proposed, progress, proposed
from judging.boards.needs import ITEMS
from judging.boards.options import BoardOptions
from judging.boards.report import FIGURES, Refused, Report, ReportOptions, ReportOutput, figure_value, hundredths, table
from lib.stats.consistency import OrderCounts
from lib.stats.figures import Figure
from lib.stats.paired import WHY


class MakeForm(forms.Form):
    source = forms.ModelChoiceField(queryset=Project.objects.none(), label=gettext_lazy("Accepted items from"))

    def __init__(self, *args: Any, lead: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["source"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = possible_sources(lead.project, lead.user)


class ApproveForm(forms.Form):
    """The set to approve, and the cursor of a long approval."""

    judge = forms.CharField(required=False, strip=False, max_length=1000)
    style = forms.CharField(required=False, max_length=40)
    sure = forms.BooleanField()
    after = forms.IntegerField(required=False, min_value=0, max_value=2**62)
    done = forms.IntegerField(required=False, min_value=0, max_value=2**31)


class WorkshopOptions(BoardOptions):
    """stage: one of STAGES, or "". judge: whose judgements; style: of one set. after: an item before the list."""

    stage: str = ""
    judge: str = ""
    style: str = ""
    after: int = Field(default=0, ge=0, lt=10**18)

    @field_validator("stage")
    @classmethod
    def _known_stage(cls, stage: str) -> str:
        if stage not in STAGES:
            raise ValueError(stage)
        return stage

    @field_validator("judge", "style")
    @classmethod
    def _without_nul(cls, word: str) -> str:
        return word.replace("\0", "")  # PostgreSQL has no text with it


def bridging(request: HttpRequest, member: Member) -> HttpResponse:
    return _page(request, member, MakeForm(lead=member) if member.leads else None)


def _page(request: HttpRequest, member: Member, form: MakeForm | None, *, status: int = 200) -> HttpResponse:
    options = WorkshopOptions.parse(request.GET, member.project)
    stage, judge, style = options.stage, options.judge, options.style
    far = progress(member.project)
    context = {
        "far": far,
        "stages": [(name, words, far.counts[name]) for name, words in STAGES.items()],
        "page": listed(member.project, stage=stage, judge=judge, style=style, after=options.after),
        "stage": stage,
        "stage_words": STAGES.get(stage, ""),
        "judge": judge,
        "style": style,
        "to_approve": _to_approve(member, stage, judge, style),
        "form": form,
    }
    return project_page(request, member, "bridging/workshop.html", context, tab="bridging", status=status)


def _to_approve(member: Member, stage: str, judge: str, style: str) -> int:
    """How many proposals a lead can approve at once in this list; 0 in lists of other stages."""
    return proposed(member.project, judge=judge, style=style).count() if member.leads and stage == PROPOSED else 0


def bridging_next(request: HttpRequest, member: Member) -> HttpResponse:
    """Open the first proposal that waits for this person at the desk."""
    slot = next_proposed(member.project, member)
    return _to_desk(request, member, slot.pk if slot else 0)


def bridging_take(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Open this judgement at the desk."""
    item = get_object_or_404(Item, project=member.project, pk=pk)
    slots = Slot.objects.unfinished().filter(item=item, stage=Slot.Stage.ANNOTATE, round=item.round)
    slot = slots.held_by(member.user).first() or slots.open().order_by("no").first()
    return _to_desk(request, member, slot.pk if slot else 0)


def _to_desk(request: HttpRequest, member: Member, slot: int) -> HttpResponse:
    held_slot = desk.take_up(member, slot) if slot else None
    if held_slot is None:
        messages.warning(request, gettext("No proposal is available to you right now."))
        return redirect("bridging", member.project.slug)
    return redirect("work_item", member.project.slug, held_slot.pk)


def bridging_approve(request: HttpRequest, lead: Member) -> HttpResponse:
    """Approve a batch of proposals of a set, or of all, unchanged. The response says how many are left."""
    form = ApproveForm(request.POST)
    if not form.is_valid():
        messages.error(
            request, gettext("Nothing was approved. Tick the box to confirm that you want to approve all of them.")
        )
        return redirect("bridging", lead.project.slug)
    judge, style = form.cleaned_data["judge"], form.cleaned_data["style"]
    after, approved_count = form.cleaned_data["after"] or 0, form.cleaned_data["done"] or 0
    outcome = approve_part(project=lead.project, by=person(request), judge=judge, style=style, after=after)
    context = {
        "outcome": outcome,
        "done": approved_count + outcome.done,
        "left": proposed(lead.project, judge=judge, style=style).filter(pk__gt=outcome.after).count(),
        "judge": judge,
        "style": style,
    }
    return project_page(request, lead, "bridging/approved.html", context, tab="bridging")


def bridging_make(request: HttpRequest, lead: Member) -> HttpResponse:
    """Make judgements from the accepted work of another project that this lead leads too."""
    form = MakeForm(request.POST, lead=lead)
    if not form.is_valid():
        return _page(request, lead, form, status=422)
    try:
        outcome = make_judgements(project=lead.project, source=form.cleaned_data["source"], by=person(request))
    except errors.Refused as refused:
        form.add_error("source", str(refused))
        return _page(request, lead, form, status=422)
    new_count, duplicate_count = outcome.report.kept, outcome.report.duplicates
    message = ngettext("%(n)d judgement was created", "%(n)d judgements were created", new_count) % {"n": new_count}
    messages.success(
        request, gettext("%(made)s; %(there)d already existed.") % {"made": message, "there": duplicate_count}
    )
    return redirect("bridging", lead.project.slug)


# Gain: a judge's own criteria compared with the recovered ones, and the pairs behind each number.


PAGE = 50
FEW = 30  # pairs below which a gain says too little
WORDS: dict[str, str | Promise] = {
    numbers.GAINED: _("correct only with recovered criteria"),
    numbers.LOST: _("correct only with its own criteria"),
    numbers.BOTH: _("correct with both"),
    numbers.NEITHER: _("correct with neither"),
    numbers.NO_LABEL: _("without a human label"),
    numbers.ONLY_BEFORE: _("judged with its own criteria only"),
    numbers.ONLY_AFTER: _("judged with recovered criteria only"),
    numbers.ONE_ORDER: _("judged in one order only"),
    numbers.UNREADABLE: _("not readable"),
    numbers.CHANGED: _("criteria have changed since then"),
}


def bridging_gain(request: HttpRequest, member: Member) -> HttpResponse:
    comparison = compare_bridging(member.project, by_set=True)
    rows = [
        {
            "row": row,
            "no": no,
            "outcomes": [(name, WORDS[name], len(row.items(name))) for name in numbers.OUTCOMES],
            "left_out": [(name, WORDS[name], len(row.items(name))) for name in numbers.LEFT_OUT if row.items(name)],
        }
        for no, row in enumerate(comparison.rows)
    ]
    context = {"found": comparison, "rows": rows, "few": FEW}
    return project_page(request, member, "bridging/gain.html", context, tab="bridging")


class GainItemsOptions(BoardOptions):
    """row: the number of a row, from 0. which: what of it; "" for all that count. start: where to begin."""

    row: int = Field(default=0, ge=0)
    which: str = ""
    start: int = Field(default=0, ge=0)


def bridging_gain_items(request: HttpRequest, member: Member) -> HttpResponse:
    options = GainItemsOptions.parse(request.GET, member.project)
    rows, no, which = compare_bridging(member.project, by_set=True).rows, options.row, options.which
    row = rows[no] if no < len(rows) else None
    ids = row.items(which) if row else []
    start = min(options.start, len(ids))
    items = Item.objects.defer("facts").in_bulk(ids[start : start + PAGE])
    context = {
        "row": row,
        "no": no,
        "which": which if which in WORDS else "",
        "words": WORDS.get(which, _("pairs included")),
        "items": [items[pk] for pk in ids[start : start + PAGE] if pk in items],
        "total": len(ids),
        "before": max(start - PAGE, 0) if start else None,
        "after": start + PAGE if start + PAGE < len(ids) else None,
    }
    return project_page(request, member, "bridging/gain_items.html", context, tab="bridging")


# The report.


LEAST_P = 0.001  # a smaller p value is shown as "below", not as 0.000
HEADER = ["judge", "set", "n", "before", "after", "gain", "interval", "p", "left out"]


class Bridging(Report):
    slug = "bridging"
    about = "judgements without criteria: progress, and whether recovered criteria improve agreement"
    divisions = ("set",)

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        far = progress(project)
        if not far.total:
            raise Refused("No item has an imported judgement: import some (import_items --format autoj, …).")
        comparison = compare_bridging(project, by_set=options.by == "set")
        rows = [row for row in comparison.rows if options.judge in ("", row.judge, row.judge.partition(" · ")[0])]
        value = {
            "progress": {
                "total": far.total,
                "stages": dict(far.counts),
                "sets": [_set(progress_set) for progress_set in far.sets],
            },
            "original": _figure(comparison.original),
            "rows": [as_json(row) for row in rows],
        }
        if not rows:
            value["note"] = "No judge has judged with both its own and recovered criteria."
        return ReportOutput(value, _text(far, comparison, rows))


def _set(progress_set: Any) -> dict[str, Any]:
    return {
        "judge": progress_set.judge,
        "style": progress_set.style,
        "items": progress_set.total,
        "stages": dict(progress_set.counts),
    }


def as_json(row: BridgingRow) -> dict[str, Any]:
    """set: null for all sets. gain: of agreement, after minus before, in points; wins and losses are pairs."""
    outcomes = {name: len(row.items(name)) for name in OUTCOMES}
    return {
        "judge": row.judge,
        "simulated": row.simulated,
        "set": row.group or None,
        "n": len(row.seen),
        "before": _orders(row.before),
        "after": _orders(row.after),
        "gain": _figure(row.gain),
        "p": row.test.p,
        "test": {"name": row.test.test, "clusters": row.test.clusters, "why": WHY[row.test.test]},
        "pairs": outcomes,
        "left_out": {why: len(items) for why, items in row.left_out.items()},
    }


def _orders(orders: OrderCounts) -> dict[str, Any]:
    return {name: figure_value(getattr(orders, name)) for name in FIGURES}


def _figure(figure: Figure) -> dict[str, Any]:
    bounds = [None if bound is None else hundredths(bound) for bound in (figure.low, figure.high)]
    row: dict[str, Any] = {"value": figure_value(figure), "low": bounds[0], "high": bounds[1], "n": figure.n}
    return row | ({"note": figure.note} if figure.value is None else {})


def _text(far: BridgingProgress, comparison: Compare, rows: list[BridgingRow]) -> str:
    stages = ", ".join(f"{stage.replace('_', ' ')} {count}" for stage, count in far.counts.items() if count)
    lines = [f"{far.total} judgements without criteria: {stages}."]
    if comparison.original.value is not None:
        agree = hundredths(comparison.original.value)
        lines.append(
            f"The original verdicts agree with people in {agree:.2f} % of {comparison.original.n} approved pairs."
        )
    if not rows:
        return "\n".join([*lines, "No judge has judged with both its own and recovered criteria."])
    about = "Per cent of n pairs on which the judge is consistent in both orders and agrees with the human label."
    tests = dict.fromkeys(f"p: {WHY[row.test.test]}." for row in rows)
    return "\n".join([*lines, "", about, *tests, "", table(HEADER, [_cells(row) for row in rows], left=2)])


def _cells(row: BridgingRow) -> list[str]:
    gain, p = row.gain, row.test.p
    interval = "" if gain.low is None or gain.high is None else f"{100 * gain.low:.1f} to {100 * gain.high:.1f}"
    shares = [_number(row.before.agreement), _number(row.after.agreement), _number(gain)]
    skip_count, chance = sum(map(len, row.left_out.values())), f"{p:.3f}" if p >= LEAST_P else f"<{LEAST_P}"
    return [row.judge, row.group, str(len(row.seen)), *shares, interval, chance, str(skip_count)]


def _number(figure: Figure) -> str:
    return "" if figure.value is None else f"{hundredths(figure.value):.2f}"


BOARD: Board[BoardOptions, None] = Board(
    slug="bridging",
    name=_("Bridging"),
    suits=takes_judgements,
    place=Place(40, asks=_("Where do judges differ from people, and why?"), needs=(ITEMS,)),
    sub_pages=(
        SubPage("bridging/", "bridging", bridging),
        SubPage("bridging/make/", "bridging_make", bridging_make, roles=LEADS, methods=POST),
        SubPage("bridging/approve/", "bridging_approve", bridging_approve, roles=LEADS, methods=POST),
        SubPage("bridging/next/", "bridging_next", bridging_next, roles=REVIEWERS, methods=POST),
        SubPage("bridging/take/<int:pk>/", "bridging_take", bridging_take, roles=REVIEWERS, methods=POST),
        SubPage("bridging/gain/", "bridging_gain", bridging_gain),
        SubPage("bridging/gain/items/", "bridging_gain_items", bridging_gain_items),
    ),
    saves_views=False,
    reports=(Bridging(),),
)
