"""Training data for judges: a form with the rows that it would write, the files, and the report by step and split.

It is a form, not a board of numbers: a value that it does not take is said at its field (422), and no default is used.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotate.models import Item, Member, Project
from annotate.releases.actions import ANY, ReleaseFilters, fault_of_splits
from annotate.web.access import project_page
from judging.access import everywhere
from judging.boards.board import Board, SubPage
from judging.boards.options import BoardOptions
from judging.boards.report import Report, ReportOptions, ReportOutput, table
from judging.training.chats import (
    AGREEING,
    ALL,
    BRANCHING,
    CONSISTENT,
    CORRECTIONS,
    CRITERIA,
    GUIDELINES,
    JUDGEMENTS,
    NONE,
    REVERSE_CRITERIA,
    REVERSE_GUIDELINES,
    REVERSE_JUDGEMENTS,
    SHARES,
    SPLITS,
    TrainingChoice,
)
from judging.training.training_files import command, count_rows, counts_of, packed
from judging.training.training_files import table as counts_table

JUDGES = [
    (CONSISTENT, gettext_lazy("consistent in both orders")),
    (AGREEING, gettext_lazy("consistent, and in agreement with the human label")),
    (ALL, gettext_lazy("all readable verdicts")),
    (NONE, gettext_lazy("none: human data only")),
]


def _share(name: str) -> forms.FloatField:
    widget = forms.NumberInput(attrs={"step": "0.01"})
    return forms.FloatField(min_value=0, max_value=1, initial=SHARES[name], widget=widget)


class TrainingForm(forms.Form):
    """The content of the files; read from the query string, so that a choice can be linked."""

    state = forms.ChoiceField(label=gettext_lazy("Items"), initial=Item.State.ACCEPTED)
    judges = forms.ChoiceField(label=gettext_lazy("Judge verdicts"), choices=JUDGES, initial=CONSISTENT)
    train, validation, test = (_share(name) for name in SPLITS)
    seed = forms.IntegerField(label=gettext_lazy("Split seed"), initial=0, min_value=0, max_value=2**31)
    licence = forms.CharField(label=gettext_lazy("Licence"), max_length=80, required=False)

    def __init__(self, *args: Any, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        states = [(state, label) for state, label in Item.State.choices if state != Item.State.ACCEPTED]
        accepted = (Item.State.ACCEPTED.value, _("accepted"))
        self.fields["state"].choices = [  # type: ignore[attr-defined]
            accepted,
            (ANY, _("all, best text of each")),
            *states,
        ]
        self.fields["licence"].initial = project.licence
        for name in SPLITS:
            self.fields[name].label = _("Share of “%(name)s”") % {"name": name}

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        fault = None if self.errors else fault_of_splits(self._splits(values))
        if fault:
            self.add_error("train", fault)
        return values

    @staticmethod
    def _splits(values: dict[str, Any]) -> dict[str, float]:
        """Splits without a share are left out; if all are, the first one carries the error."""
        return {name: values[name] for name in SPLITS if values.get(name)} or {SPLITS[0]: 0}

    def chosen(self) -> TrainingChoice:
        values = self.cleaned_data
        filters = ReleaseFilters(values["state"], splits=self._splits(values), seed=values["seed"])
        return TrainingChoice(filters, values["judges"])


NAMES: Mapping[str, str | Promise] = {
    CRITERIA: gettext_lazy("Criteria"),
    GUIDELINES: pgettext_lazy("training data", "Guidelines"),
    JUDGEMENTS: gettext_lazy("Judgements"),
    CORRECTIONS: gettext_lazy("Corrections"),
    REVERSE_CRITERIA: gettext_lazy("Recovered criteria"),
    REVERSE_GUIDELINES: gettext_lazy("Recovered guidelines"),
    REVERSE_JUDGEMENTS: gettext_lazy("Judgements by recovered criteria"),
}


def training_page(request: HttpRequest, member: Member) -> HttpResponse:
    """Rows by step and split, for the choices in the query string."""
    form = _form(request, member.project)
    if not form.is_valid():
        return project_page(request, member, "training/training.html", {"form": form}, tab="training", status=422)
    selection = form.chosen()
    counts = counts_of(member.project, selection)
    context = {
        "form": form,
        "splits": list(selection.filters.splits),
        "parts": list(_parts(counts)),
        "pairs": list(counts["preferences"].values()),
        "all": list(counts["chats"].values()),
        "is_empty": not counts["chats"]["together"] + counts["preferences"]["together"],
        "left_out": list(counts["left_out"].items()),
        "query": request.GET.urlencode(),
        "command": command(member.project, selection, licence=form.cleaned_data["licence"]),
    }
    return project_page(request, member, "training/training.html", context, tab="training")


def training_files(request: HttpRequest, member: Member) -> HttpResponse | StreamingHttpResponse:
    """All files as a zip that is streamed while it is made; nothing is stored."""
    form = _form(request, member.project)
    if not form.is_valid():
        return project_page(request, member, "training/training.html", {"form": form}, tab="training", status=422)
    selection: TrainingChoice = form.chosen()
    pieces = packed(member.project, selection, licence=form.cleaned_data["licence"])
    headers = {"Content-Disposition": f'attachment; filename="{member.project.slug}-training.zip"'}
    return StreamingHttpResponse(pieces, content_type="application/zip", headers=headers)


def _form(request: HttpRequest, project: Any) -> TrainingForm:
    """The form, bound to the query string with defaults for what is missing."""
    empty = TrainingForm(project=project)
    usual = {name: empty.get_initial_for_field(field, name) for name, field in empty.fields.items()}
    if SHARES.keys() & request.GET.keys():
        usual |= dict.fromkeys(SHARES, 0)
    return TrainingForm(usual | request.GET.dict(), project=project)


def _parts(counts: Mapping[str, Any]) -> Sequence[tuple[Any, Sequence[tuple[Any, Any]], Any]]:
    """The two halves of the table: caption, rows, sums."""
    steps = [(step, list(split_counts.values())) for step, split_counts in counts["steps"].items()]
    branching = [(NAMES[step], numbers) for step, numbers in steps if step in BRANCHING]
    bridged = [(NAMES[step], numbers) for step, numbers in steps if step not in BRANCHING]
    return [
        (pgettext_lazy("training data", "Branching"), branching, list(counts["branching"].values())),
        (
            pgettext_lazy("training data", "Recovered from others' judgements"),
            bridged,
            list(counts["bridged"].values()),
        ),
    ]


class Training(Report):
    slug = "training"
    about = "training data for a judge, by step and split"

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        """The counts, zeros if there are no rows: works for any kind of project and is never Refused."""
        selection = TrainingChoice()
        value = count_rows(project, selection).as_json()
        header, *lines = counts_table(value)
        value |= {"splits": selection.filters.splits, "seed": selection.filters.seed, "judges": selection.judges}
        skip_reasons = [f"{count} {why}" for why, count in value["left_out"].items()]
        parts = [table(header, lines, left=1), *([f"Left out: {', '.join(skip_reasons)}."] if skip_reasons else [])]
        return ReportOutput(value | {"command": command(project, selection)}, "\n\n".join(parts))


BOARD: Board[BoardOptions, None] = Board(
    slug="training",
    name=gettext_lazy("Training data"),
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    sub_pages=(
        SubPage("training/", "training", training_page),
        SubPage("training/files.zip", "training_files", training_files),
    ),
    saves_views=False,
    reports=(Training(),),
)
