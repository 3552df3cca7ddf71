"""The pages of the difficulty filter: its form and query string, the preview, applying it, and restoring items.

In projects with own questions the same address has the difficulty of questions and items (question_difficulty.py).

The filter is a form, not a board of numbers: it says what is wrong in its fields (422), where a board would fall back
to the default. Only the list of dropped items below it reads the frame's options.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from annotate.items.keyset import ORDERS, ItemCursor
from annotate.items.keyset import page as page_of
from annotate.models import Item, Member
from annotate.web.access import LEADS, person, project_page
from judging.access import has_difficulty
from judging.boards import frame
from judging.boards.board import POST, Board, Place, SubPage
from judging.boards.difficulty import numbers
from judging.boards.difficulty.numbers import (
    AppliedFilter,
    Difficulty,
    Source,
    dropped_items,
    sample_of_dropped,
    sources,
    weakest_first,
)
from judging.boards.difficulty.numbers import difficulty as numbers_difficulty
from judging.boards.difficulty.question_difficulty import QUESTIONS, DifficultyReport
from judging.boards.needs import ANSWERS, JUDGED_OR_RATED
from judging.boards.options import BoardOptions
from judging.templatetags.scores import points
from lib.charts.bars import CountRow, count_bars
from lib.charts.marks import fitted

LARGEST_SEED = 2**31 - 1


class DifficultyForm(forms.Form):
    """Choices come from what was judged; anything else is an error at its field."""

    run = forms.ChoiceField(label=_("Judged by"), widget=forms.Select(attrs={"class": "select"}))
    authors = forms.MultipleChoiceField(label=_("Weak models"), widget=forms.CheckboxSelectMultiple)
    threshold = forms.FloatField(
        label=_("Threshold"),
        min_value=0,
        max_value=1,
        initial=1.0,
        help_text=_("0 to 1. An item is dropped if every weak model reaches it."),
        widget=forms.NumberInput(attrs={"class": "textbox textbox--line", "step": "any"}),
    )
    seed = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_SEED, widget=forms.HiddenInput)

    def __init__(
        self, data: QueryDict | None, offered: Sequence[Source], authors: Sequence[tuple[str, float | None]]
    ) -> None:
        super().__init__(data, auto_id="difficulty-%s")
        self.fields["run"].choices = [(source.word, str(source)) for source in offered]  # type: ignore[attr-defined]
        self.fields["authors"].choices = [(name, f"{name} · {points(mean, 1)}") for name, mean in authors]  # type: ignore[attr-defined]


@dataclass(frozen=True)
class DifficultyQuery:
    """form: bound if the address says enough to weigh anything. source: None if nobody has judged."""

    form: DifficultyForm
    source: Source | None

    @property
    def complete(self) -> bool:
        return self.source is not None and self.form.is_bound and self.form.is_valid()

    @property
    def settings(self) -> dict[str, Any]:
        values = self.form.cleaned_data
        return {"authors": values["authors"], "threshold": values["threshold"]}

    @property
    def seed(self) -> int:
        return int(self.form.cleaned_data["seed"] or 0)

    @property
    def address(self) -> str:
        """The values of the form as a query string, without the seed."""
        values = self.form.cleaned_data
        parameters = [("run", values["run"]), ("threshold", f"{values['threshold']:g}")]
        return urlencode([*parameters, *(("authors", name) for name in values["authors"])])


def parse_difficulty_query(data: QueryDict, offered: Sequence[Source]) -> DifficultyQuery:
    """The query, parsed; the first source if the address names none. The offered authors depend on the source."""
    matches = [source for source in offered if source.word == data.get("run", "")]
    source = matches[0] if matches else offered[0] if offered else None
    authors = weakest_first(source) if source else []
    bound = bool(source and data.getlist("authors"))
    form = DifficultyForm(data if bound else None, offered, authors)
    if source and not bound:
        form.initial = {"run": source.word, "threshold": 1.0}
    return DifficultyQuery(form, source)


LOOKS = ("bar bar--soft", "bar")


class DroppedOptions(BoardOptions):
    """look: the seed of the sample of dropped items; None if all are listed."""

    look: int | None = Field(default=None, ge=0, lt=10**9)


def difficulty_page(
    request: HttpRequest,
    member: Member,
    query: DifficultyQuery,
    finding: Difficulty | None,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """What would be dropped, the new balance, a sample, and what was dropped before."""
    order = ORDERS["first"]
    removed_items, seed = dropped_items(member.project), DroppedOptions.parse(request.GET, member.project).look
    listed_items = removed_items if seed is None else sample_of_dropped(removed_items, seed)
    context: dict[str, Any] = {
        "asked": query,
        "found": finding,
        "gone": page_of(listed_items, order=order, after=ItemCursor.read(request.GET.get("after", ""), order)),
        "gone_count": removed_items.count(),
        "gone_seed": seed,
        "next_look": 0 if seed is None else seed + 1,
    }
    if finding is not None:
        context |= {
            "sample": finding.sample(query.seed),
            "next_seed": query.seed + 1,
            "charts": _charts(finding),
            "expected": agreed_sentence(finding),
        }
    return project_page(request, member, "difficulty/difficulty.html", context | more, tab="difficulty", status=status)


def look_up(member: Member, data: Any) -> tuple[DifficultyQuery, Difficulty | None]:
    """The query, and its result if the query says enough."""
    query = parse_difficulty_query(data, sources(member.project))
    if query.source is None or not query.complete:
        return query, None
    return query, numbers_difficulty(member.project, query.source, **query.settings)


def agreed_sentence(finding: Difficulty) -> str:
    """What the lead agreed to on the page: so many items, up to this one."""
    dropped = finding.dropped
    return f"{len(dropped)}-{sum(item.base_id for item in dropped)}"


def _charts(finding: Difficulty) -> SafeString:
    rows = [CountRow(row.task, (row.before, row.after)) for row in finding.balance]
    label = gettext("Items per task, before and after")
    return fitted(lambda wide: count_bars(rows, label=label, looks=LOOKS, wide=wide))


def difficulty(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Preview of the accepted items that all weak authors solve; a GET drops nothing."""
    if member.project.kind.defined:
        return frame.board_page(request, member.project.slug, board=QUESTIONS)
    query, finding = look_up(member, request.GET)
    status = 422 if query.form.is_bound and finding is None else 200
    return difficulty_page(request, member, query, finding, status=status)


def difficulty_apply(request: HttpRequest, member: Member) -> HttpResponse:
    """Drop what the page had shown. If the verdicts have changed meanwhile, nothing is dropped: 409."""
    _refuse_questions(member)
    query, finding = look_up(member, request.POST)
    if finding is None:
        return difficulty_page(request, member, query, finding, status=422)
    if request.POST.get("expected", "") != agreed_sentence(finding):
        return difficulty_page(request, member, query, finding, status=409, changed=True)
    outcome = numbers.apply(finding, by=person(request))
    _say(request, outcome, dropped=True)
    return redirect("difficulty", member.project.slug)


def difficulty_restore(request: HttpRequest, member: Member) -> HttpResponse:
    """Accept again one item that this filter has dropped, or all of them."""
    _refuse_questions(member)
    item_pk = request.POST.get("item", "")
    if item_pk.isascii() and item_pk.isdecimal() and len(item_pk) < 19:
        items = Item.objects.filter(project=member.project, pk=int(item_pk))
        outcome = numbers.restore(member.project, by=person(request), items=items)
    elif request.POST.get("all") == "yes":
        outcome = numbers.restore(member.project, by=person(request))
    else:
        query, finding = look_up(member, request.GET)
        return difficulty_page(request, member, query, finding, status=422)
    _say(request, outcome, dropped=False)
    return redirect("difficulty", member.project.slug)


def _say(request: HttpRequest, outcome: AppliedFilter, *, dropped: bool) -> None:
    count, skip_count = outcome.count, sum(outcome.left_out.values())
    if dropped:
        message = ngettext("%(n)d item was dropped as too easy.", "%(n)d items were dropped as too easy.", count)
    else:
        message = ngettext("%(n)d item was restored to accepted.", "%(n)d items were restored to accepted.", count)
    (messages.success if count else messages.info)(request, message % {"n": count})
    if skip_count:
        messages.warning(
            request, gettext("%(n)d were changed in the meantime and were left as they are.") % {"n": skip_count}
        )


def _refuse_questions(member: Member) -> None:
    """404 where nothing is filtered."""
    if member.project.kind.defined:
        raise Http404


def _of_questions(view: Callable[..., HttpResponseBase]) -> Callable[[HttpRequest, Member], HttpResponseBase]:
    """A view of the frame for the board of own questions; 404 in other projects."""
    return lambda request, member: view(request, member.project.slug, board=QUESTIONS)


BOARD: Board[BoardOptions, None] = Board(
    slug="difficulty",
    name=_("Difficulty"),
    suits=has_difficulty,
    place=Place(150, asks=_("What is too easy, and what is hard?"), needs=(ANSWERS, JUDGED_OR_RATED), aside=True),
    sub_pages=(
        SubPage("difficulty/", "difficulty", difficulty),
        SubPage("difficulty/units/", "difficulty_units", _of_questions(frame.board_units)),
        SubPage("difficulty/difficulty.csv", "difficulty_csv", _of_questions(frame.board_csv)),
        SubPage("difficulty/difficulty.json", "difficulty_json", _of_questions(frame.board_json)),
        SubPage("difficulty/one-page/", "difficulty_one_page", _of_questions(frame.board_print)),
        SubPage("difficulty/apply/", "difficulty_apply", difficulty_apply, roles=LEADS, methods=POST),
        SubPage("difficulty/restore/", "difficulty_restore", difficulty_restore, roles=LEADS, methods=POST),
    ),
    saves_views=False,
    reports=(DifficultyReport(QUESTIONS),),
)
