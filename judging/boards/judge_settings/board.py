"""Judge settings: leads plan and start runs with several settings, and compare the results."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from pydantic import field_validator

from annotate.engine.endpoints import to_choose_from
from annotate.errors import Refused, WrongState
from annotate.models import Endpoint, Member, Project, Run
from annotate.runs import actions as run_services
from annotate.web.access import LEADS, person, project_page
from judging.access import has_intents
from judging.boards.board import POST, Board, BoardPage, Place, SubPage
from judging.boards.judge_settings.numbers import (
    LARGEST,
    LEAST,
    MOST,
    Crossed,
    Setting,
    SettingScores,
    SettingsPlan,
    crossed,
    named_runs,
    plan_settings,
    sampled_runs,
)
from judging.boards.judge_settings.settings_report import JudgeSettingsReport, crossed_as_json
from judging.boards.needs import ANSWERS, VERDICTS
from judging.boards.options import BoardOptions, whole_number
from judging.models import Author
from judging.ratings.intent_scores import ALL, by_intent, intents
from judging.verdicts.subjects import sample_of
from lib.charts.dot_plots import Leaning, leanings
from lib.charts.marks import fitted
from lib.stats.figures import Figure
from lib.stats.settings import SettingPair, pairs

LARGEST_SEED = 2**31 - 1


class SettingsForm(forms.Form):
    """Five rows of judge and reference, of which two at least are filled in; a sample; whose answers."""

    size = forms.IntegerField(label=_("Cases to draw"), initial=200, min_value=1, max_value=LARGEST)
    seed = forms.IntegerField(
        label=_("Seed"), min_value=0, max_value=LARGEST_SEED, help_text=_("The same seed gives the same sample.")
    )
    authors = forms.MultipleChoiceField(
        label=_("Answers by"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_("None selected: all except the references."),
    )
    budget = forms.DecimalField(
        label=_("Budget per setting (USD)"),
        min_value=Decimal("0.01"),
        max_digits=12,
        decimal_places=4,
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "min": "0.01"}),
    )

    def __init__(self, *args: Any, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        self.project = project
        endpoints = list(to_choose_from())
        self.endpoints = {endpoint.name: endpoint for endpoint in endpoints}
        names = list(Author.objects.filter(project=project).values_list("name", flat=True))
        fields: dict[str, Any] = self.fields
        fields["authors"].choices = [(name, name) for name in names]
        judges = [("", "–"), *((endpoint.name, _endpoint_label(endpoint)) for endpoint in endpoints)]
        references = [("", "–"), *((name, name) for name in names)]
        for number in range(1, MOST + 1):
            fields[f"judge_{number}"] = forms.ChoiceField(label=_("Judge"), choices=judges, required=number <= LEAST)
            fields[f"reference_{number}"] = forms.ChoiceField(
                label=_("Reference"), choices=references, required=number <= LEAST
            )
            # Shown once, for the whole setting.
            fields[f"judge_{number}"].optional_unsaid = fields[f"reference_{number}"].optional_unsaid = True

    def rows(self) -> list[tuple[int, Any, Any]]:
        """Number, judge and reference of each setting, as bound fields."""
        return [(number, self[f"judge_{number}"], self[f"reference_{number}"]) for number in range(1, MOST + 1)]

    def others(self) -> list[Any]:
        return [self[name] for name in ("size", "seed", "authors", "budget")]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for number in range(1, MOST + 1):
            if number > LEAST and bool(cleaned.get(f"judge_{number}")) != bool(cleaned.get(f"reference_{number}")):
                self.add_error(f"reference_{number}", _("A setting needs a judge and a reference."))
        return cleaned

    def wish(self) -> SettingsPlan:
        values = self.cleaned_data
        pairs = [(values[f"judge_{number}"], values[f"reference_{number}"]) for number in range(1, MOST + 1)]
        settings = [Setting(self.endpoints[judge], reference) for judge, reference in pairs if judge]
        return SettingsPlan(self.project, settings, values["size"], values["seed"], values["authors"])


def _endpoint_label(endpoint: Endpoint) -> str:
    name = f"{endpoint.name} ({endpoint.model})"
    return str(_("%(name)s, simulated")) % {"name": name} if endpoint.simulated else name


# Pages: settings of judge and reference compared; leads plan and start their runs.


DRAWN = 40  # rows of the chart; where there are more, the page says how many, and the table has all
MOST_RUNS = 10  # that an address may name
TEMPLATE = "judge_settings/judge_settings.html"


@dataclass(frozen=True)
class SettingRow:
    """One setting's means of an author. cells: a figure for each column, None if there is no case."""

    number: int
    setting: SettingScores
    cells: Sequence[Figure | None]


class ComparisonOptions(BoardOptions):
    """sample: the name of one; "" for the newest. run: numbers of runs to compare instead."""

    sample: str = ""
    run: tuple[int, ...] = ()

    @field_validator("run", mode="before")
    @classmethod
    def _numbers(cls, words: Sequence[Any]) -> list[int]:
        numbers = map(whole_number, map(str, words))
        return [number for number in numbers if number][:MOST_RUNS]


def comparison(project: Project, options: ComparisonOptions) -> Crossed | None:
    """None where nothing is planned, or where the runs cannot be compared."""
    try:
        return _compare(project, options)
    except Refused:
        return None


def _compare(project: Project, options: ComparisonOptions) -> Crossed | None:
    """Raises Refused for runs that judge nothing here, or not the same cases."""
    if options.run:
        return crossed(project, named_runs(project, options.run))
    groups = sampled_runs(project)
    matches = [group for group in groups if _name(group) == options.sample]
    runs = next(iter(matches or groups), None)
    return crossed(project, runs) if runs else None


def comparison_json(crossing: Crossed, options: ComparisonOptions) -> Mapping[str, Any]:
    return crossed_as_json(crossing)


def comparison_rows(crossing: Crossed, options: ComparisonOptions, member: Member) -> Iterator[Mapping[str, Any]]:
    """The means of each setting by author and intent, on the scale of the judge; the interval as low and high."""
    for setting in crossing.settings:
        names = {"run": setting.run.pk, "judge": setting.run.endpoint.model, "reference": setting.reference}
        for row in by_intent(setting.said):
            if row.language == ALL:
                bounds = {"low": row.figure.low, "high": row.figure.high, "n": row.figure.n}
                yield names | {"author": row.author, "intent": row.group, "mean": row.figure.value} | bounds


def judge_settings(crossing: Crossed | None, options: ComparisonOptions, member: Member) -> BoardPage:
    return BoardPage(_context(crossing, options, member, _form(member) if member.leads else None))


def judge_settings_plan(request: HttpRequest, lead: Member) -> HttpResponse:
    """Plan a run for each setting; nothing is sent before somebody starts them."""
    form = SettingsForm(request.POST, project=lead.project)
    if form.is_valid():
        try:
            planned = plan_settings(form.wish(), by=person(request), budget=form.cleaned_data["budget"])
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            message = gettext("%(n)d runs are planned. Check the estimate of each run, then start them.")
            messages.success(request, message % {"n": len(planned)})
            return redirect("judge_settings", lead.project.slug)
    options = ComparisonOptions.parse(request.GET, lead.project)
    context = _context(comparison(lead.project, options), options, lead, form)
    return project_page(request, lead, TEMPLATE, context, tab="judge_settings", status=422)


def judge_settings_start(request: HttpRequest, lead: Member) -> HttpResponse:
    """Start all runs of a sample that are planned and not started yet."""
    started = 0
    for run in _group(lead, request.POST.get("sample", "")):
        try:
            run_services.start(run, by=person(request))
            started += 1
        except (WrongState, Refused):
            continue  # somebody has started it, it ended, or it has no job
    message = ngettext("%(n)d run started.", "%(n)d runs started.", started)
    messages.success(request, message % {"n": started})
    return redirect("judge_settings", lead.project.slug)


def _group(member: Member, name: str) -> list[Run]:
    """The planned runs of the sample with that name; 404 if there is none."""
    for group in sampled_runs(member.project):
        if _name(group) == name:
            return [run for run in group if run.state == Run.State.PLANNED]
    raise Http404


def _name(group: Sequence[Run]) -> str:
    sample = sample_of(group[0])
    return sample.name if sample else ""


def _form(member: Member) -> SettingsForm:
    return SettingsForm(initial={"seed": secrets.randbelow(LARGEST_SEED)}, project=member.project)


def _context(
    crossing: Crossed | None, options: ComparisonOptions, member: Member, form: SettingsForm | None
) -> dict[str, Any]:
    return {
        "form": form,
        "groups": [(_name(group), sample_of(group[0]), group[0]) for group in sampled_runs(member.project)],
        "refused": "" if crossing else _why_none(member.project, options),
        "found": crossing,
        "sample_name": crossing.sample.name if crossing else options.sample,
        **(_crossed_context(crossing) if crossing else {}),
    }


def _why_none(project: Project, options: ComparisonOptions) -> str:
    """Why the runs cannot be compared; "" where none are planned."""
    try:
        _compare(project, options)
    except Refused as refused:
        return str(refused)
    return ""


def _crossed_context(crossing: Crossed) -> dict[str, Any]:
    compared = pairs(crossing.values()) if crossing.authors() else []
    columns = [ALL, *intents([row for setting in crossing.settings for row in setting.said])]
    return {
        "columns": columns,
        "blocks": _blocks(crossing, columns),
        "compared": [(*_ends(crossing, pair), pair) for pair in compared],
        "differences": _differences(crossing, compared),
        "charts": _charts(crossing, compared),
        "more_bars": max(sum(len(pair.by_author) for pair in compared if pair.first == 0) - DRAWN, 0),
        "open": sum(setting.open for setting in crossing.settings),
        "planned": any(setting.run.state == Run.State.PLANNED for setting in crossing.settings),
        "simulated": any(setting.run.endpoint.simulated for setting in crossing.settings),
    }


def _blocks(crossing: Crossed, columns: Sequence[str]) -> list[tuple[str, list[SettingRow]]]:
    """Author by author, a line for each setting."""
    figures: Mapping[tuple[int, str, str], Figure] = {
        (setting.run.pk, row.author, row.group): row.figure
        for setting in crossing.settings
        for row in by_intent(setting.said)
        if row.language == ALL
    }
    authors = sorted({author for _run, author, _group in figures})
    return [
        (
            author,
            [
                SettingRow(number, setting, [figures.get((setting.run.pk, author, group)) for group in columns])
                for number, setting in enumerate(crossing.settings, 1)
                if (setting.run.pk, author, ALL) in figures
            ],
        )
        for author in authors
    ]


def _ends(crossing: Crossed, pair: SettingPair) -> tuple[tuple[int, SettingScores], tuple[int, SettingScores]]:
    """Both settings with their numbers."""
    return (pair.first + 1, crossing.settings[pair.first]), (pair.second + 1, crossing.settings[pair.second])


def _differences(crossing: Crossed, compared: Sequence[SettingPair]) -> list[tuple[str, list[Figure]]]:
    """author -> the difference of each later setting from the first one; the mean of all authors last."""
    first_pairs = [pair for pair in compared if pair.first == 0]
    rows = [
        (author, [pair.by_author[index] for pair in first_pairs]) for index, author in enumerate(crossing.authors())
    ]
    return [*rows, ("", [pair.mean for pair in first_pairs])] if first_pairs else []


def _charts(crossing: Crossed, compared: Sequence[SettingPair]) -> SafeString | None:
    """The same differences as in the table, setting by setting."""
    rows = [
        Leaning(f"{pair.second + 1} · {author}", figure.value, figure.low, figure.high)
        for pair in compared
        if pair.first == 0
        for author, figure in zip(crossing.authors(), pair.by_author, strict=True)
    ][:DRAWN]
    if not rows:
        return None
    label = gettext("Differences from the first setting; intervals: 95 %")
    return fitted(lambda wide: leanings(rows, label=label, wide=wide))


BOARD = Board(
    slug="judge_settings",
    name=_("Judge settings"),
    suits=has_intents,
    place=Place(130, asks=_("Do the settings of a judge change its scores?"), needs=(ANSWERS, VERDICTS), aside=True),
    Options=ComparisonOptions,
    numbers=comparison,
    state=None,  # jobs end without a verdict
    page=judge_settings,
    template=TEMPLATE,
    as_json=comparison_json,
    as_rows=comparison_rows,
    sub_pages=(
        SubPage("judge-settings/plan/", "judge_settings_plan", judge_settings_plan, roles=LEADS, methods=POST),
        SubPage("judge-settings/start/", "judge_settings_start", judge_settings_start, roles=LEADS, methods=POST),
    ),
    saves_views=False,
    reports=(JudgeSettingsReport(),),
)
