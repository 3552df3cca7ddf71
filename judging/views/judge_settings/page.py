"""Settings of judge and reference beside each other; leads plan and start them."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from annotate.models import Member, Run
from annotate.services import runs as run_services
from annotate.services.errors import Refused, WrongState
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page
from judging.services.intents.reading import ALL, has_intents
from judging.services.intents.tables import by_intent, intents
from judging.services.judge_settings.planning import plan
from judging.services.judge_settings.reading import Crossed, Told, crossed, named_runs, sampled_runs
from judging.services.judgements.samples import sample_of
from judging.views.intents.page import intents_member
from judging.views.judge_settings.forms import LARGEST_SEED, SettingsForm
from lib.charts.leanings import Leaning, leanings
from lib.stats.figures import Figure
from lib.stats.settings import Pair, pairs

PHONE = 330
DRAWN = 40  # rows of the chart; where there are more, the page says how many, and the table has all
TEMPLATE = "judge_settings/judge_settings.html"


@dataclass(frozen=True)
class Line:
    """One setting's means of an author. cells: a figure for each column, None where there is no case."""

    number: int
    setting: Told
    cells: Sequence[Figure | None]


@require_safe
@login_required
def judge_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """?sample= the name of one that was drawn, or ?run= of several runs; else the newest sample."""
    member = intents_member(request, slug)
    return _page(request, member, _form(member) if member.leads else None)


@require_POST
@login_required
def judge_settings_plan(request: HttpRequest, slug: str) -> HttpResponse:
    """A planned run for each setting; nothing is sent before somebody starts them."""
    lead = _lead(request, slug)
    form = SettingsForm(request.POST, project=lead.project)
    if form.is_valid():
        try:
            planned = plan(form.wish(), by=person(request), budget=form.cleaned_data["budget"])
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            message = _("%(n)d runs are planned. Look at what each will take, then start them.")
            messages.success(request, message % {"n": len(planned)})
            return redirect("judge_settings", slug)
    return _page(request, lead, form, status=422)


@require_POST
@login_required
def judge_settings_start(request: HttpRequest, slug: str) -> HttpResponse:
    """All runs of a sample that are planned and not started yet."""
    lead, started = _lead(request, slug), 0
    for run in _group(lead, request.POST.get("sample", "")):
        try:
            run_services.start(run, by=person(request))
            started += 1
        except (WrongState, Refused):
            continue  # somebody has started it, it ended, or it has no job
    message = ngettext("%(n)d run is started.", "%(n)d runs are started.", started)
    messages.success(request, message % {"n": started})
    return redirect("judge_settings", slug)


def _lead(request: HttpRequest, slug: str) -> Member:
    lead = membership(request, slug, LEADS)
    if not has_intents(lead.project):
        raise Http404
    return lead


def _group(member: Member, name: str) -> list[Run]:
    """The planned runs of the sample of that name; 404 where there is none."""
    for group in sampled_runs(member.project):
        if _name(group) == name:
            return [run for run in group if run.state == Run.State.PLANNED]
    raise Http404


def _name(group: Sequence[Run]) -> str:
    sample = sample_of(group[0])
    return sample.name if sample else ""


def _form(member: Member) -> SettingsForm:
    return SettingsForm(initial={"seed": secrets.randbelow(LARGEST_SEED)}, project=member.project)


def _page(request: HttpRequest, member: Member, form: SettingsForm | None, status: int = 200) -> HttpResponse:
    groups = sampled_runs(member.project)
    runs, refused = None, ""
    try:
        runs = _chosen(request, member, groups)
        comparison = crossed(member.project, runs) if runs else None
    except Refused as why:
        comparison, refused = None, str(why)
    context = {
        "form": form,
        "groups": [(_name(group), sample_of(group[0]), group[0]) for group in groups],
        "refused": refused,
        "found": comparison,
        "sample_name": _name(runs) if runs else "",
        **(_shown(comparison) if comparison else {}),
    }
    return project_page(request, member, TEMPLATE, context, tab="judging", status=status)


def _chosen(request: HttpRequest, member: Member, groups: Sequence[list[Run]]) -> list[Run] | None:
    """Raises Refused for runs that judge nothing here."""
    numbers = [int(word) for word in request.GET.getlist("run") if word.isascii() and word.isdecimal()][:10]
    if numbers:
        return named_runs(member.project, numbers)
    matches = [group for group in groups if _name(group) == request.GET.get("sample", "")]
    return next(iter(matches or groups), None)


def _shown(comparison: Crossed) -> dict[str, Any]:
    compared = pairs(comparison.values()) if comparison.authors() else []
    columns = [ALL, *intents([row for setting in comparison.settings for row in setting.said])]
    return {
        "columns": columns,
        "blocks": _blocks(comparison, columns),
        "compared": [(*_ends(comparison, pair), pair) for pair in compared],
        "differences": _differences(comparison, compared),
        "charts": _charts(comparison, compared),
        "more_bars": max(sum(len(pair.by_author) for pair in compared if pair.first == 0) - DRAWN, 0),
        "open": sum(setting.open for setting in comparison.settings),
        "planned": any(setting.run.state == Run.State.PLANNED for setting in comparison.settings),
        "simulated": any(setting.run.endpoint.simulated for setting in comparison.settings),
    }


def _blocks(comparison: Crossed, columns: Sequence[str]) -> list[tuple[str, list[Line]]]:
    """Author by author, a line for each setting."""
    figures: Mapping[tuple[int, str, str], Figure] = {
        (setting.run.pk, row.author, row.group): row.figure
        for setting in comparison.settings
        for row in by_intent(setting.said)
        if row.language == ALL
    }
    authors = sorted({author for _run, author, _group in figures})
    return [
        (
            author,
            [
                Line(number, setting, [figures.get((setting.run.pk, author, group)) for group in columns])
                for number, setting in enumerate(comparison.settings, 1)
                if (setting.run.pk, author, ALL) in figures
            ],
        )
        for author in authors
    ]


def _ends(comparison: Crossed, pair: Pair) -> tuple[tuple[int, Told], tuple[int, Told]]:
    """Both settings with their numbers."""
    return (pair.first + 1, comparison.settings[pair.first]), (pair.second + 1, comparison.settings[pair.second])


def _differences(comparison: Crossed, compared: Sequence[Pair]) -> list[tuple[str, list[Figure]]]:
    """author -> how far each later setting lies from the first one; the mean of all authors last."""
    first_pairs = [pair for pair in compared if pair.first == 0]
    rows = [
        (author, [pair.by_author[index] for pair in first_pairs]) for index, author in enumerate(comparison.authors())
    ]
    return [*rows, ("", [pair.mean for pair in first_pairs])] if first_pairs else []


def _charts(comparison: Crossed, compared: Sequence[Pair]) -> tuple[SafeString, SafeString] | None:
    """For wide and for narrow screens: the same differences, setting by setting."""
    rows = [
        Leaning(f"{pair.second + 1} · {author}", figure.value, figure.low, figure.high)
        for pair in compared
        if pair.first == 0
        for author, figure in zip(comparison.authors(), pair.by_author, strict=True)
    ][:DRAWN]
    if not rows:
        return None
    label = _("Differences from the first setting with their intervals of 95 %")
    return leanings(rows, label=label), leanings(rows, label=label, wide=PHONE)
