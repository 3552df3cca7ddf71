from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotate.acting import in_role
from annotate.engine.run_list import under_way
from annotate.errors import Refused, WrongState
from annotate.items import actions
from annotate.kinds import all_kinds
from annotate.models import Item, Member, Project, Slot, User
from annotate.project import actions as project_actions
from annotate.project import overview as covering
from annotate.project import overview as figures
from annotate.project import overview as overview_help
from annotate.web.access import LEADS, READERS, membership, person, project_page
from lib.charts import marks as charts

# state -> (fill of the bar, swatch of the legend), in the order of the bar
LOOKS = {
    Item.State.ACCEPTED: ("ok", "ok"),
    Item.State.ADJUDICATING: ("caution", "caution"),
    Item.State.REVIEWING: ("info", "info"),
    Item.State.READY: ("hollow", "plain"),
    Item.State.IMPORTED: ("gap", "gap"),
    Item.State.DROPPED: ("2", "soft"),
}


@login_required
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """All members see the progress; figures about people and cost are for leads."""
    member = membership(request, slug)
    context = _moving(member) | {"opens_lists": member.role in READERS}
    if member.role in READERS:
        context |= _help(member)
    if member.leads:
        context |= {"runs": under_way(member.project)}
        context |= {"cost": overview_help.cost(member.project, context["states"].counts[Item.State.ACCEPTED])}
    return project_page(request, member, "overview/overview.html", context, tab="overview")


def _moving(member: Member) -> dict[str, Any]:
    project, now = member.project, timezone.now()
    today = timezone.localdate()
    states, pace = figures.states(project), figures.pace(project, today)
    return {
        "now": now,
        "states": states,
        "parts": [(fill, states.counts[state]) for state, (fill, _swatch) in LOOKS.items()],
        "legend": [
            (state.value, state.label, swatch, states.counts[state])
            for state, (_fill, swatch) in LOOKS.items()
            if states.counts[state]
        ],
        "pace": pace,
        "chart": _chart(pace),
        "forecast": figures.forecast(states.undecided, pace, today),
        "leases": figures.leases(project, now),
        "left_drafts": figures.left_draft_count(project),
        "coverage": covering.coverage(project),
        "waiting": figures.waiting_longest(project),
    }


def _chart(pace: figures.AcceptancePace) -> str:
    # Translators: the short name of a day under a bar, in Django's date letters.
    letters = _("D j")
    names = [(date_format(day.date, letters), day.accepted) for day in pace.days]
    names[-1] = (_("today"), names[-1][1])
    return charts.bars(names, label=_("Items accepted per day, last 14 days"))


def _help(member: Member) -> dict[str, Any]:
    people = overview_help.returned_by_person(member.project) if member.leads else []
    return {
        "people": [(row, _interval_chart(row)) for row in people],
        "groups": overview_help.returned_by_group(member.project),
        "skips": overview_help.skips(member.project),
        "too_few": overview_help.TOO_FEW,
    }


def _interval_chart(row: overview_help.ReturnShare) -> str:
    share = row.sent_back
    assert share.percent is not None
    assert share.interval is not None
    label = _("%(name)s: %(percent).0f %%, between %(low).0f and %(high).0f %%") % {
        "name": row.name,
        "percent": share.percent,
        "low": share.interval.low,
        "high": share.interval.high,
    }
    return charts.interval(share.percent, *share.interval, label=label, most=100, thin=share.too_few)


@require_POST
@login_required
def lease_release(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    slot = get_object_or_404(Slot.objects.select_related("item", "holder"), pk=pk, project=lead.project)
    slot.item.project = lead.project
    try:
        actions.take_lease(slot, by=person(request))
    except WrongState as raced:
        context = {"reason": raced, "again": reverse("overview", args=[slug])}
        return render(request, "409.html", context, status=409)
    messages.success(request, _("%(item)s is back in the queue; its draft is kept.") % {"item": slot.item.key})
    return redirect(reverse("overview", args=[slug]) + "#leases")


class NewProjectForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=120)
    slug = forms.SlugField(
        label=gettext_lazy("Address"),
        max_length=60,
        help_text=gettext_lazy("Used in the URL: lowercase letters, digits, hyphens. Can't be changed later."),
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind of work"),
        required=False,
        help_text=gettext_lazy("Copies use the same kind as the original."),
    )
    source = forms.ModelChoiceField(
        Project.objects.none(),
        label=gettext_lazy("Copy settings from"),
        required=False,
        empty_label=gettext_lazy("none: use the kind's default settings"),
        help_text=gettext_lazy("Options, guidelines, reviews, lease and the other settings; no items."),
    )
    with_people = forms.BooleanField(label=gettext_lazy("Copy its people and their limits too"), required=False)

    def __init__(self, *args: Any, lead: User, **options: Any) -> None:
        super().__init__(*args, **options)
        kinds: dict[str, forms.Field] = self.fields
        kinds["kind"].choices = [(slug, kind.name) for slug, kind in all_kinds().items()]  # type: ignore[attr-defined]
        kinds["source"].queryset = led_by(lead)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean() or {}
        if not cleaned_data.get("kind") and not cleaned_data.get("source"):
            self.add_error("kind", _("Choose a kind of work, or a project to copy."))
        return cleaned_data

    def make(self, lead: User) -> Project:
        """Raises Refused."""
        cleaned_data = self.cleaned_data
        arguments = {"slug": cleaned_data["slug"], "name": cleaned_data["name"], "lead": lead}
        if cleaned_data["source"]:
            return project_actions.copy_project(
                source=cleaned_data["source"], with_people=cleaned_data["with_people"], **arguments
            )
        return project_actions.start_project(kind=cleaned_data["kind"], **arguments)


def led_by(user: User) -> Any:
    return Project.objects.filter(members__user=user, members__role=Member.Role.LEAD)


def may_make_projects(user: User) -> bool:
    """Administrators, and everybody who leads a project already."""
    return user.is_staff or led_by(user).exists()


@login_required
def project_list(request: HttpRequest) -> HttpResponse:
    """The projects of this person; other projects are not shown to anybody, administrators included."""
    user = person(request)
    memberships = Member.objects.of(user).select_related("project").order_by("project__name")
    context = {"memberships": memberships, "may_make": may_make_projects(user), "kinds": all_kinds()}
    return render(request, "projects/projects.html", context)


@login_required
def project_new(request: HttpRequest) -> HttpResponse:
    user = person(request)
    if not may_make_projects(user):
        raise PermissionDenied(_("Only administrators and leads can create projects. Ask one of them."))
    in_role(user, Member.Role.LEAD, None)
    form = NewProjectForm(request.POST or None, initial={"source": request.GET.get("source")}, lead=user)
    if request.method == "POST" and form.is_valid():
        try:
            project = form.make(user)
        except Refused as refused:
            form.add_error("slug", str(refused))
        else:
            messages.success(request, _("%(name)s created. Next: import items.") % {"name": project})
            return redirect("project_settings", project.slug)
    return render(request, "projects/new.html", {"form": form}, status=422 if form.errors else 200)
