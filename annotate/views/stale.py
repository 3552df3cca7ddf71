"""What a change of guidelines made stale: the list, the estimate, reopening what a lead chooses, taking that back."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotate.models import Guideline, Member, Project, Reopening
from annotate.services.errors import Refused, WrongState
from annotate.services.guidelines import estimating, names, reopening
from annotate.services.guidelines.stale import ACCEPTED, UNDER_WAY, Filters, Since, since, stale, with_versions
from annotate.services.items.lists import COUNTED_AT_MOST, count_up_to
from annotate.services.items.pages import ORDERS, Cursor, page
from annotate.views.access import LEADS, membership, person
from annotate.views.items.filters import ALL
from annotate.views.pages import project_page

LONGEST_NOTE = 500


class StaleForm(forms.Form):
    """By what the list can be narrowed."""

    q = forms.CharField(
        label=gettext_lazy("Key or title"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    section = forms.ChoiceField(label=gettext_lazy("Section that changed"), required=False)
    group = forms.ChoiceField(label=gettext_lazy("Group"), required=False)
    language = forms.CharField(label=gettext_lazy("Language"), required=False, max_length=12)
    version = forms.TypedChoiceField(label=gettext_lazy("Written under"), required=False, coerce=int, empty_value=None)
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[(ACCEPTED, gettext_lazy("accepted")), (UNDER_WAY, gettext_lazy("handed in, not decided"))],
    )

    def __init__(self, data: QueryDict, *, found: Since, project: Project) -> None:
        super().__init__(data, auto_id="stale-%s")
        self._offer("section", [(title, title) for title in found.sections if title])
        self._offer("group", [(group, group) for group in names.groups(project)])
        label = _("version %(version)d")
        self._offer("version", [(str(version), label % {"version": version}) for version in found.changes])
        for field in self.fields.values():
            field.widget.attrs["class"] = (
                "select" if isinstance(field.widget, forms.Select) else "textbox textbox--line"
            )

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = [*ALL, *choices]  # type: ignore[attr-defined]

    def filters(self) -> Filters:
        values = {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}
        return Filters(**values)

    @property
    def address(self) -> str:
        return urlencode([(name, self.data[name]) for name in self.fields if self.data.get(name)])


@login_required
def stale_items(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    guideline = _newest(lead)
    guideline_changes = since(guideline)
    form = StaleForm(request.GET, found=guideline_changes, project=lead.project)
    if not form.is_valid():
        return _listed(request, lead, {"filters": form, "guideline": guideline}, status=422)
    filters = form.filters()
    items = with_versions(stale(guideline_changes, filters))
    order = ORDERS["first"]
    item_page = page(
        items,
        order=order,
        after=Cursor.read(request.GET.get("after", ""), order),
        before=Cursor.read(request.GET.get("before", ""), order),
    )
    count = count_up_to(items)
    context = {
        "guideline": guideline,
        "filters": form,
        "page": item_page,
        "rows": [(item, guideline_changes.why(item.version, item.group)) for item in item_page.items],  # type: ignore[attr-defined]
        "count": min(count, COUNTED_AT_MOST),
        "more_than_counted": count > COUNTED_AT_MOST,
        "estimate": estimating.estimate(lead.project, count, group=filters.group),
        "changed": guideline_changes.sections,
        "reopenable": filters.state == ACCEPTED,
        "earlier": Reopening.objects.filter(project=lead.project).select_related("guideline", "created_by")[:5],
    }
    return _listed(request, lead, context)


def _listed(request: HttpRequest, lead: Member, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return project_page(request, lead, "guidelines/stale.html", context, tab="guidelines", status=status)


def _newest(lead: Member) -> Guideline:
    guideline = lead.project.guideline
    if guideline is None:
        raise Http404
    guideline.project = lead.project
    return guideline


@require_POST
@login_required
def stale_reopen(request: HttpRequest, slug: str) -> HttpResponse:
    """First says how many items are meant and what that costs, then reopens them."""
    lead = membership(request, slug, LEADS)
    guideline = _newest(lead)
    guideline_changes = since(guideline)
    form = StaleForm(QueryDict(request.POST.get("filter", "")[:4000]), found=guideline_changes, project=lead.project)
    everything = request.POST.get("scope") == "all"
    ids = sorted({int(pk) for pk in request.POST.getlist("item") if pk.isdecimal() and len(pk) < 19})
    # A filter that cannot be read must never mean "everything".
    if not form.is_valid() or not (everything or ids):
        return project_page(request, lead, "guidelines/stale_nothing.html", {}, tab="guidelines", status=422)
    filters = form.filters()
    if "sure" in request.POST and request.POST.get("version") == str(guideline.version):
        note = request.POST.get("note", "").replace("\0", "")[:LONGEST_NOTE]
        new_reopening = reopening.begin(
            guideline=guideline, by=person(request), filters=filters, ids=None if everything else ids, note=note
        )
        return redirect("reopening", slug, new_reopening.pk)
    selected_items = stale(guideline_changes, filters)
    count = count_up_to(selected_items if everything else selected_items.filter(pk__in=ids))
    context = {
        "guideline": guideline,
        "filters": form,
        "everything": everything,
        "ids": ids,
        "count": min(count, COUNTED_AT_MOST),
        "more_than_counted": count > COUNTED_AT_MOST,
        "estimate": estimating.estimate(lead.project, count, group=filters.group),
        "note": request.POST.get("note", "").replace("\0", "")[:LONGEST_NOTE],
        "longest": LONGEST_NOTE,
        "newer": "sure" in request.POST,
    }
    return project_page(request, lead, "guidelines/stale_confirm.html", context, tab="guidelines")


@login_required
def reopening_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    return _told(request, lead, _reopening(lead, pk))


@require_POST
@login_required
def reopening_back(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    stored_reopening = _reopening(lead, pk)
    try:
        reopening.take_back(stored_reopening, by=person(request))
    except (WrongState, Refused) as late:
        stored_reopening.refresh_from_db()
        return _told(request, lead, stored_reopening, status=409, late=str(late))
    return redirect("reopening", slug, pk)


def _reopening(lead: Member, pk: int) -> Reopening:
    stored_reopening = (
        Reopening.objects.select_related("guideline", "created_by").filter(project=lead.project, pk=pk).first()
    )
    if stored_reopening is None:
        raise Http404
    return stored_reopening


def _told(
    request: HttpRequest, lead: Member, stored_reopening: Reopening, *, status: int = 200, late: str = ""
) -> HttpResponse:
    context = {
        "one": stored_reopening,
        "reasons": reopening.reasons(stored_reopening),
        "under_way": stored_reopening.state in reopening.UNDER_WAY,
        "late": late,
        "project": lead.project,
    }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "guidelines/_reopening.html", context, status=status)
    return project_page(request, lead, "guidelines/reopening.html", context, tab="guidelines", status=status)
