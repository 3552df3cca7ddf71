"""Pages of readiness: a project's requirements, the leads' view of people, and a person's own calibration."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate import hidden_checks
from annotate.errors import Refused
from annotate.models import Item, Member, Project, Readiness
from annotate.option_forms.fields import PercentField, described
from annotate.option_forms.forms import Effect, SettingsForm, settings_answer
from annotate.readiness import actions, calibration, checks, queries
from annotate.readiness.actions import mark
from annotate.readiness.calibration import tally
from annotate.readiness.queries import feedback
from annotate.readiness.requirement_effects import effects
from annotate.web.access import LEADS, WORKERS, membership, person, project_page
from annotate.web.pager import numbered_page


class ReadinessForm(SettingsForm, forms.ModelForm):
    sections = (
        (gettext_lazy("Calibration"), ("calibration_each", "calibration_by", "passes_at")),
        (gettext_lazy("Hidden checks"), ("check_share", "window", "floor")),
    )

    calibration_each = described(
        forms.IntegerField(
            label=gettext_lazy("Calibration items per group"),
            min_value=0,
            max_value=50,
            help_text=gettext_lazy("Done before the queue opens, with feedback after each. 0: none."),
        ),
        unit=gettext_lazy("items"),
        example="3",
    )
    passes_at = described(
        PercentField(
            label=gettext_lazy("Required share of expected answers"),
            help_text=gettext_lazy("Of all compared fields of the calibration."),
        ),
        unit="%",
        example="80",
    )
    check_share = described(
        PercentField(
            label=gettext_lazy("Share of hidden checks"),
            help_text=gettext_lazy("Gold and attention items among the work; people cannot tell them apart. 0: none."),
        ),
        unit="%",
        example="10",
    )
    window = described(
        forms.IntegerField(label=gettext_lazy("Number of recent checks that count"), min_value=1, max_value=200),
        unit=gettext_lazy("checks"),
        example="10",
    )
    floor = described(
        PercentField(
            label=gettext_lazy("Pause below this share"),
            help_text=gettext_lazy(
                "People with this many checks and a lower share are paused, and the leads are notified. 0: nobody."
            ),
        ),
        unit="%",
        example="60",
    )

    class Meta:
        model = Readiness
        fields = ["calibration_each", "calibration_by", "passes_at", "check_share", "window", "floor"]

    def __init__(self, data: Any, *, now: Readiness) -> None:
        """It writes into its own copy, so that a refused form does not change what the page shows."""
        columns = {name: getattr(now, name) for name in self.Meta.fields}
        super().__init__(data, instance=Readiness(project_id=now.project_id, pk=now.pk, **columns))
        self.remember(columns)

    @property
    def entered(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.Meta.fields}


@login_required
def readiness_settings(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    now = hidden_checks.requirements_of(lead.project) or Readiness(project_id=lead.project_id)
    form = ReadinessForm(request.POST or None, now=now)

    def page(*, status: int = 200, **more: Any) -> HttpResponse:
        context = {"form": form, "pool": queries.pool(lead.project)} | more
        return project_page(request, lead, "readiness/settings.html", context, tab="readiness", status=status)

    def save() -> HttpResponse:
        if actions.change_requirements(lead.project, form.entered, opened=form.opened):
            messages.info(request, _("What somebody else changed meanwhile was kept."))
        messages.success(request, _("Settings saved."))
        return redirect("readiness", slug)

    def changes() -> list[Effect]:
        return effects(lead.project, form.entered)

    return settings_answer(request, form, page=page, effects=changes, save=save)


# The leads' pages: who is ready, the results of everybody's checks, and the leads' actions.


MARKED_AT_ONCE = 500
MEMBERS_PER_PAGE = 100
REASONS_SHOWN = 10  # reasons why an item was not marked


class MarkForm(forms.Form):
    keys = forms.CharField(
        label=gettext_lazy("Keys of accepted items"),
        help_text=gettext_lazy("One per line. The accepted answer becomes the expected answer."),
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
    )
    purpose = forms.ChoiceField(label=gettext_lazy("Purpose"), choices=Item.Purpose.choices)
    fields_that_count = forms.MultipleChoiceField(
        label=gettext_lazy("Fields that count"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "None chosen: all compared fields. For an instructed answer, only the instructed fields."
        ),
    )

    def __init__(self, *args: Any, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        counted: Any = self.fields["fields_that_count"]
        counted.choices = _compared(project)

    def clean_keys(self) -> list[str]:
        keys = list(dict.fromkeys(line.strip() for line in self.cleaned_data["keys"].splitlines() if line.strip()))
        if len(keys) > MARKED_AT_ONCE:
            raise forms.ValidationError(_("Up to %(most)d at once.") % {"most": MARKED_AT_ONCE})
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
    members = numbered_page(request, queries.working_members(lead.project), MEMBERS_PER_PAGE)
    context = {
        "asked": hidden_checks.requirements_of(lead.project),
        "people": queries.people(lead.project, list(members)),
        "page": members,
        "pool": queries.pool(lead.project),
        "few": queries.FEW_CHECKS,
        "form": form,
    }
    return project_page(request, lead, "readiness/readiness.html", context, tab="readiness", status=status)


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
    for key, why in list(outcome.left_out.items())[:REASONS_SHOWN]:
        messages.error(request, _("%(key)s: %(why)s") % {"key": key, "why": why})
    if (more := len(outcome.left_out) - REASONS_SHOWN) > 0:
        message = ngettext("%(n)d more item was not marked.", "%(n)d more items were not marked.", more)
        messages.error(request, message % {"n": more})
    return redirect("readiness", slug)


@login_required
def readiness_person(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One person's answers, field by field: the last calibration attempt and the last checks."""
    lead = membership(request, slug, LEADS)
    member = _member(lead, pk)
    readiness = hidden_checks.requirements_of(lead.project)
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
    return project_page(request, lead, "readiness/person.html", context, tab="readiness")


VERBS: dict[str, tuple[Callable[..., None], Any]] = {
    "let_in": (actions.let_in, gettext_lazy("%(name)s was let in.")),
    "again": (actions.ask_again, gettext_lazy("%(name)s was asked to try again.")),
    "go_on": (actions.go_on, gettext_lazy("%(name)s can continue.")),
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


# A person's own calibration: the expected answer to an item that they submitted, and another attempt.


@never_cache
@login_required
def feedback_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Feedback on a submitted calibration answer; any other slot answers 404."""
    member = membership(request, slug, WORKERS)
    answer = calibration.answer_in(member, pk)
    if answer is None or answer.item.base is None:
        raise Http404
    context = {
        "answer": answer,
        "item": answer.item,
        "found": feedback(answer, member),
        "standing": calibration.standing(member),
        "asked": hidden_checks.requirements_of(member.project),
    }
    return project_page(request, member, "readiness/feedback.html", context, tab="work")


@require_POST
@login_required
def again(request: HttpRequest, slug: str) -> HttpResponse:
    """Another attempt after one that was not passed."""
    member = membership(request, slug, WORKERS)
    if not calibration.begin(member, again=True):
        messages.error(request, _("There is no attempt to start now. This is your current status."))
    return redirect("work", slug)
