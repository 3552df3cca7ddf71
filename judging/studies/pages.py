"""Pages of studies: preview and draw, progress, closing, a live study, and leaks. Only for leads of both projects.

Choices of the form of a draw come from the project; anything else is an error at its field.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from annotate.errors import Refused
from annotate.kinds import all_kinds
from annotate.models import Member, Project, User
from annotate.web.access import LEADS, membership, person, project_page
from judging.answers.cases import cases, judgeable
from judging.models import Answer, Author, Study
from judging.studies.designs import ALL, DESIGNS, GROUP, MASKED, NAMES, Blinding, Design, DrawPlan, blinding_of
from judging.studies.draw import draw
from judging.studies.leaks import scan
from judging.studies.masking import PHRASES
from judging.studies.plans import LEFT_OUT, Plan, hours, plan
from judging.studies.progress import LiveStudy, close, live, results, studies_for, with_progress
from lib.stats.figures import FEW

LARGEST_SEED = 2**31 - 1
LONGEST_LIST = 20_000
REPETITIONS, BLINDING = ("repeats", "apart"), ("named", "also", "never", "phrases")
BEGUN = ("repeats", "apart", "phrases")  # optional, with the usual value as initial value
VOTES = [(kind.slug, kind.name) for kind in all_kinds().values() if kind.answers_shown]


def _number(least: int, most: int, **options: Any) -> forms.IntegerField:
    return forms.IntegerField(min_value=least, max_value=most, **options)


def _list(rows: int = 2, **options: Any) -> forms.CharField:
    """One word or phrase on each line."""
    area = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(widget=area, required=False, max_length=LONGEST_LIST, **options)


class DrawForm(forms.Form):
    kind = forms.ChoiceField(label=gettext_lazy("Vote"), choices=VOTES)
    authors = forms.MultipleChoiceField(label=gettext_lazy("Answers by"), widget=forms.CheckboxSelectMultiple)
    items = _number(1, 1_000_000, label=gettext_lazy("Items to draw"), initial=100)
    by = forms.ChoiceField(
        label=gettext_lazy("Stratify by"),
        help_text=gettext_lazy("Each part gets items in proportion to its share of all items."),
    )
    overlap = _number(1, 50, label=gettext_lazy("Voters per item"), initial=2)
    design = forms.ChoiceField(label=gettext_lazy("Design"), choices=list(DESIGNS.items()), initial=ALL)
    votes = _number(
        1,
        10_000_000,
        label=gettext_lazy("Vote budget"),
        required=False,
        help_text=gettext_lazy(
            "Includes repeated votes; required for an adaptive design. Empty: all pairs that are drawn."
        ),
    )
    per_item = _number(
        1,
        1000,
        label=gettext_lazy("Max. pairs per item"),
        required=False,
        help_text=gettext_lazy(
            "For the random design. Empty: no limit; a question may then return with other answers."
        ),
    )
    seed = _number(
        0, LARGEST_SEED, label=gettext_lazy("Seed"), help_text=gettext_lazy("The same seed gives the same sample.")
    )
    into = forms.SlugField(
        label=gettext_lazy("Address of the voting project"),
        max_length=60,
        help_text=gettext_lazy(
            "A project of this kind that you lead, or a new address: then the project is created with you as lead."
        ),
    )
    name = forms.CharField(label=gettext_lazy("Study name"), max_length=120, required=False)

    repeats = forms.FloatField(
        label=gettext_lazy("Repeated votes, per cent"),
        min_value=0,
        max_value=100,
        initial=0,
        required=False,
        help_text=gettext_lazy("Pairs shown again to the same person with the sides swapped."),
    )
    apart = _number(1, 1000, label=gettext_lazy("Items in between"), initial=Design.apart, required=False)

    named = forms.ChoiceField(
        label=gettext_lazy("Texts that name a model"), choices=list(NAMES.items()), initial=MASKED
    )
    also = _list(
        label=gettext_lazy("Additional names"),
        help_text=gettext_lazy("One per line. Names, families and makers of all models are always searched for."),
    )
    never = _list(
        label=gettext_lazy("Names that are ordinary words"), help_text=gettext_lazy("One per line. These are ignored.")
    )
    phrases = _list(
        rows=6,
        label=gettext_lazy("Self-identifying phrases"),
        help_text=gettext_lazy("One per line. … matches a few words in the same sentence. Empty: no search."),
    )

    def __init__(self, *args: Any, project: Project, user: User, **options: Any) -> None:
        super().__init__(*args, **options)
        self.project, self.user = project, user
        fields: dict[str, Any] = self.fields
        names = Author.objects.filter(project=project, answers__isnull=False).distinct().order_by("name")
        fields["authors"].choices = [(author.name, author.name) for author in names]
        fields["by"].choices = divisions(project)
        for name in BEGUN:
            fields[name].optional_unsaid = True

    @property
    def drawn(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in (*REPETITIONS, *BLINDING)]

    @property
    def folded(self) -> list[tuple[str, Any, bool, list[forms.BoundField]]]:
        """(id, heading, open, fields) of rarely used options; open if a value differs from the initial one."""
        groups = (
            ("repetitions", gettext_lazy("Repetitions"), REPETITIONS),
            ("blinding", gettext_lazy("Blinding"), BLINDING),
        )
        return [
            (word, heading, self._is_touched(names), [self[name] for name in names]) for word, heading, names in groups
        ]

    def _is_touched(self, names: Sequence[str]) -> bool:
        """Whether one of these lists of words differs from its initial value."""
        if not self.is_bound:
            return False
        posted = {name: _lines(self.data.get(name, "")) for name in names}
        offered = {name: _lines(str(self[name].initial or "")) for name in names}
        return any(posted[name] not in (offered[name], []) or name in self.errors for name in names)

    def clean_into(self) -> str:
        """Other people's projects get the same error as slugs that cannot be used."""
        into: str = self.cleaned_data["into"]
        own_memberships = Member.objects.filter(project__slug=into, user=self.user, role=Member.Role.LEAD)
        if Project.objects.filter(slug=into).exists() and not own_memberships.exists():
            raise forms.ValidationError(gettext_lazy("This address is taken. Choose another."))
        return into

    def wish(self) -> DrawPlan:
        """The draw plan of a valid form."""
        values = self.cleaned_data
        return DrawPlan(
            source=self.project,
            kind=all_kinds()[values["kind"]],
            authors=values["authors"],
            items=values["items"],
            seed=values["seed"],
            by=values["by"],
            target=Project.objects.filter(slug=values["into"]).first(),
            design=self._design(),
            blinding=self._blinding(),
        )

    def _blinding(self) -> Blinding:
        """The blinding. Without the field of phrases, as from a script, our own list applies; an empty list is kept."""
        values = self.cleaned_data
        phrases = _lines(values["phrases"]) if "phrases" in self.data else PHRASES
        return Blinding(values["named"] or MASKED, _lines(values["also"]), _lines(values["never"]), phrases)

    def _design(self) -> Design:
        values = self.cleaned_data
        return Design(
            name=values["design"] or ALL,
            overlap=values["overlap"],
            budget=values["votes"],
            repeats=(values["repeats"] or 0) / 100,
            apart=values["apart"] or Design.apart,
            per_item=values["per_item"] or 0,
        )


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def divisions(project: Project) -> list[tuple[str, Any]]:
    """Groups, and the divisions by which judges' reports are divided, as the first item names them."""
    if not project.kind.judges_answers:
        return [(GROUP, gettext_lazy("Groups"))]
    first_case = next(cases(judgeable(project).order_by("pk")[:1]), None)
    label_names = sorted(first_case.judged.labels) if first_case else []
    return [(GROUP, gettext_lazy("Groups")), *((name, name) for name in label_names)]


# Pages.


SHOWN = 50


@login_required
def studies(request: HttpRequest, slug: str) -> HttpResponse:
    """The studies that this lead may see, and a preview of a new one. Only a POST draws."""
    lead = membership(request, slug, LEADS)
    form = _form(request, lead)
    planned = _planned(form)
    if request.method == "POST" and planned is not None and _drew(request, form, planned):
        return redirect("studies", slug)
    visible_studies = list(studies_for(person(request), lead.project)[: SHOWN + 1])
    context = {
        "form": form,
        "plan": planned,
        "hours": hours(planned) if planned else None,
        "left_out": [(LEFT_OUT[why], n) for why, n in planned.left_out.items()] if planned else [],
        "rows": with_progress(visible_studies[:SHOWN]),
        "shown": SHOWN if len(visible_studies) > SHOWN else None,
    }
    status = 422 if form.errors else 200
    return project_page(request, lead, "studies/studies.html", context, tab="studies", status=status)


@require_POST
@login_required
def study_close(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    study = get_object_or_404(studies_for(person(request), lead.project), pk=pk)
    closed_count = close(study)
    message = ngettext(
        "Study closed. %(n)d vote that nobody had started was cancelled.",
        "Study closed. %(n)d votes that nobody had started were cancelled.",
        closed_count,
    )
    messages.success(request, message % {"n": closed_count})
    return redirect("studies", slug)


def _form(request: HttpRequest, lead: Member) -> DrawForm:
    query = request.POST if request.method == "POST" else request.GET if "seed" in request.GET else None
    previous_study = Study.objects.filter(
        source=lead.project
    ).first()  # its word lists are the initial values of the next one
    words = blinding_of(previous_study.options if previous_study else {})
    lists = {name: "\n".join(getattr(words, name)) for name in ("also", "never", "phrases")}
    start: dict[str, Any] = {"seed": secrets.randbelow(LARGEST_SEED), **lists}
    return DrawForm(query, initial=start, project=lead.project, user=person(request))


def _planned(form: DrawForm) -> Plan | None:
    if not form.is_bound or not form.is_valid():
        return None
    try:
        return plan(form.wish())
    except Refused as refused:
        form.add_error(None, str(refused))
        return None


def _drew(request: HttpRequest, form: DrawForm, planned: Plan) -> bool:
    values = form.cleaned_data
    try:
        study = draw(planned, into=values["into"], by=person(request), name=values["name"])
    except Refused as refused:
        form.add_error(None, str(refused))
        return False
    message = _("Study drawn: %(n)d votes are waiting in “%(name)s”.")
    messages.success(request, message % {"n": len(planned.votes) + len(planned.repeats), "name": study.project.name})
    return True


# One study while people vote, and what might reveal the authors to them.


MOST = 20  # authors of the matrix; more columns cannot be read
LISTED = 100


@dataclass(frozen=True)
class NamedAnswerRow:
    """An answer in which a model is named, as the list shows it."""

    answer: Answer
    words: list[str]
    aside: bool


@require_safe
@login_required
def study_live(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead, study = _of_lead(request, slug, pk)
    progress = live(study)
    context = {
        "study": study,
        "live": progress,
        "design": DESIGNS[progress.design.name],
        "matrix": _matrix(progress),
        "left_over": max(len(progress.names) - MOST, 0),
        "results": results(study),
        "few": FEW,
    }
    return project_page(request, lead, "studies/live.html", context, tab="studies")


@require_safe
@login_required
def study_leaks(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Names found when the study was drawn, and what a scan of the vote items finds today."""
    lead, study = _of_lead(request, slug, pk)
    listed = study.counts.get("found", [])
    answers = Answer.objects.select_related("item", "author").in_bulk([row["answer"] for row in listed[:LISTED]])
    named_answers = [
        NamedAnswerRow(answers[row["answer"]], sorted(row["words"]), row["aside"])
        for row in listed[:LISTED]
        if row["answer"] in answers
    ]
    context = {"study": study, "scan": scan(study.project, study), "named": named_answers, "total": len(listed)}
    return project_page(request, lead, "studies/leaks.html", context, tab="studies")


def _of_lead(request: HttpRequest, slug: str, pk: int) -> tuple[Member, Study]:
    lead = membership(request, slug, LEADS)
    return lead, get_object_or_404(studies_for(person(request), lead.project), pk=pk)


def _matrix(progress: LiveStudy) -> list[tuple[str, list[int | None]]]:
    """Rows of votes on each pair; None on the diagonal."""
    names = progress.names[:MOST]
    if not progress.pairs:
        return []
    return [
        (
            author,
            [
                None if author == opponent else progress.pairs[min(author, opponent), max(author, opponent)]
                for opponent in names
            ],
        )
        for author in names
    ]
