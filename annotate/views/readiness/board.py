"""A lead's pages: who is ready, how the checks of each went, and what is done about it."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from annotate.models import Item, Member, Project
from annotate.services.errors import Refused
from annotate.services.readiness import asking, board, calibration, checks, letting_in
from annotate.services.readiness.feedback import feedback
from annotate.services.readiness.marking import mark
from annotate.services.readiness.outcomes import tally
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page

MARKED_AT_ONCE = 500
TOLD = 10  # reasons why an item was not marked


class MarkForm(forms.Form):
    keys = forms.CharField(
        label=gettext_lazy("Keys of accepted items"),
        help_text=gettext_lazy("One a line. What was accepted is what is expected of others."),
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
    )
    purpose = forms.ChoiceField(label=gettext_lazy("They are for"), choices=Item.Purpose.choices)
    fields_that_count = forms.MultipleChoiceField(
        label=gettext_lazy("Fields that count"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "None chosen: all that are compared. For an instructed answer, only what is instructed."
        ),
    )

    def __init__(self, *args: Any, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        counted: Any = self.fields["fields_that_count"]
        counted.choices = _compared(project)

    def clean_keys(self) -> list[str]:
        keys = list(dict.fromkeys(line.strip() for line in self.cleaned_data["keys"].splitlines() if line.strip()))
        if len(keys) > MARKED_AT_ONCE:
            raise forms.ValidationError(_("At most %(most)d at once.") % {"most": MARKED_AT_ONCE})
        return keys


def _compared(project: Project) -> list[tuple[str, str]]:
    """The fields of the kind that are compared, as an item of the project has them."""
    item = Item.objects.filter(project=project).order_by("pk").first()
    if item is None:
        return []
    kind = project.kind
    fields = kind.fields(kind.read_facts(kind.upgrade(item.facts, item.schema)))
    return [(field.name, str(field.label)) for field in fields if not field.free]


@login_required
def readiness(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    form = MarkForm(project=lead.project, initial={"keys": request.GET.get("key", "")[:200], "purpose": "calibration"})
    return _page(request, lead, form)


def _page(request: HttpRequest, lead: Member, form: MarkForm, *, status: int = 200) -> HttpResponse:
    context = {
        "asked": asking.asked_by(lead.project),
        "people": board.people(lead.project),
        "pool": board.pool(lead.project),
        "few": board.FEW_CHECKS,
        "form": form,
    }
    return project_page(request, lead, "readiness/readiness.html", context, tab="people", status=status)


@require_POST
@login_required
def readiness_mark(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    form = MarkForm(request.POST, project=lead.project)
    if not form.is_valid():
        return _page(request, lead, form, status=422)
    cleaned_data = form.cleaned_data
    outcome = mark(
        lead.project,
        cleaned_data["keys"],
        cleaned_data["purpose"],
        by=person(request),
        fields=cleaned_data["fields_that_count"],
    )
    if outcome.keys:
        message = ngettext("%(n)d item is marked.", "%(n)d items are marked.", len(outcome.keys))
        messages.success(request, message % {"n": len(outcome.keys)})
    for key, why in list(outcome.left_out.items())[:TOLD]:
        messages.error(request, _("%(key)s: %(why)s") % {"key": key, "why": why})
    if (more := len(outcome.left_out) - TOLD) > 0:
        message = ngettext("%(n)d more item was not marked.", "%(n)d more items were not marked.", more)
        messages.error(request, message % {"n": more})
    return redirect("readiness", slug)


@login_required
def readiness_person(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One person's answers, field by field: of the calibration's last attempt, and of the last checks."""
    lead = membership(request, slug, LEADS)
    member = _member(lead, pk)
    readiness = asking.asked_by(lead.project)
    check_answers = checks.recent(lead.project, [member], readiness.window if readiness else 10).get(member.user_id, [])
    answers = calibration.last_answers(member)
    context = {
        "person": member.user,
        "one": member,
        "asked": readiness,
        "standing": calibration.standing(member) if readiness and readiness.calibration_each else None,
        "calibrations": [(answer, feedback(answer, member)) for answer in answers if answer.item.base],
        "checks": [(answer, feedback(answer, member)) for answer in check_answers if answer.item.base],
        "tally": tally(check_answers, lead.project),
    }
    return project_page(request, lead, "readiness/person.html", context, tab="people")


VERBS: dict[str, tuple[Callable[..., None], Any]] = {
    "let_in": (letting_in.let_in, gettext_lazy("%(name)s is let in.")),
    "again": (letting_in.ask_again, gettext_lazy("%(name)s is asked for another attempt.")),
    "go_on": (letting_in.go_on, gettext_lazy("%(name)s can go on.")),
}


@require_POST
@login_required
def readiness_decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    member, back = _member(lead, pk), reverse("readiness_person", args=[slug, pk])
    verb, message = VERBS.get(request.POST.get("verb", ""), (None, ""))
    if verb is None:
        messages.error(request, _("Choose what to do."))
        return redirect(back)
    try:
        verb(member, by=person(request))
    except Refused as refused:
        return render(request, "409.html", {"reason": str(refused), "again": back}, status=409)
    messages.success(request, message % {"name": member.user})
    return redirect("readiness", slug)


def _member(lead: Member, pk: int) -> Member:
    member = get_object_or_404(lead.project.members.select_related("user"), pk=pk)
    member.project = lead.project
    return member
