"""Pages of the audit trail: of a project for its leads, of the installation for administrators; and its exports."""

import json
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from annotate.audit.queries import COLUMNS, as_json, entries_of
from annotate.audit.trail import verify
from annotate.audit.verbs import all_verbs, words
from annotate.formats.csv_table import csv_line
from annotate.models import AuditEntry, Member, Project
from annotate.web.access import LEADS, membership, person, project_page
from annotate.web.pager import numbered_page

PER_PAGE = 50
CHUNK = 500
NOTHING = "–"


class AuditFilterForm(forms.Form):
    verb = forms.ChoiceField(label=gettext_lazy("Action"), required=False)
    account = forms.CharField(label=gettext_lazy("Account"), required=False, max_length=150)
    day = forms.DateField(
        label=gettext_lazy("Day"), required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [("", gettext_lazy("all")), *all_verbs().items()]
        self.fields["verb"].choices = choices  # type: ignore[attr-defined]
        for field in self.fields.values():
            field.widget.attrs["class"] = "select" if isinstance(field, forms.ChoiceField) else "textbox textbox--line"

    def select(self, entries: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        """Those that pass the filters; none if a filter cannot be read."""
        if not self.is_valid():
            return entries.none()
        values = self.cleaned_data
        if values["verb"]:
            entries = entries.filter(verb=values["verb"])
        if values["account"]:
            entries = entries.filter(account=values["account"].strip())
        if values["day"]:
            start = timezone.make_aware(datetime.combine(values["day"], time.min))
            entries = entries.filter(at__gte=start, at__lt=start + timedelta(days=1))
        return entries


@require_safe
@login_required
def audit_trail(request: HttpRequest) -> HttpResponse:
    """Of the whole installation."""
    _refuse_unless_administrator(request)
    context = _context(request, None) | {"export": reverse("audit_export")}
    return render(request, "audit/trail.html", context, status=_status(context))


@require_safe
@login_required
def project_audit(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    context = _context(request, lead.project) | {"export": reverse("project_audit_export", args=[slug])}
    return project_page(request, lead, "audit/trail.html", context, tab="project_audit", status=_status(context))


@require_safe
@login_required
def audit_export(request: HttpRequest) -> StreamingHttpResponse:
    _refuse_unless_administrator(request)
    return _export(request, None)


@require_safe
@login_required
def project_audit_export(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    lead: Member = membership(request, slug, LEADS)
    return _export(request, lead.project)


def _refuse_unless_administrator(request: HttpRequest) -> None:
    user = person(request)
    if not (user.is_staff or user.is_superuser):
        raise PermissionDenied(_("Only administrators can see the audit trail of the installation."))


def _context(request: HttpRequest, project: Project | None) -> dict[str, Any]:
    form = AuditFilterForm(request.GET)
    page = numbered_page(request, form.select(entries_of(project)), PER_PAGE)
    return {
        "filters": form,
        "page": page,
        "rows": [(entry, words(entry.verb), changes(entry)) for entry in page],
        "verification": verify() if "verify" in request.GET else None,
        "query": request.GET.urlencode(),
    }


def _status(context: dict[str, Any]) -> int:
    return 200 if context["filters"].is_valid() else 422


def changes(entry: AuditEntry) -> list[tuple[str, str, str]]:
    """(name, before, after) of each value that the entry holds, as texts."""
    before, after = entry.values_before or {}, entry.values_after or {}
    names = sorted({**before, **after})
    return [(name, _shown(before, name), _shown(after, name)) for name in names]


def _shown(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    if value is None or value == "":
        return NOTHING
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _export(request: HttpRequest, project: Project | None) -> StreamingHttpResponse:
    """The entries that pass the filters, oldest first: JSON lines, or with ?as=csv a table."""
    written_as = "csv" if request.GET.get("as") == "csv" else "jsonl"
    entries = AuditFilterForm(request.GET).select(entries_of(project)).order_by("number")
    lines = _csv_lines(entries) if written_as == "csv" else _json_lines(entries)
    kind = "text/csv; charset=utf-8" if written_as == "csv" else "application/jsonl"
    name = f"{project.slug}-audit" if project else "audit"
    headers = {"Content-Disposition": f'attachment; filename="{name}.{written_as}"'}
    return StreamingHttpResponse(lines, content_type=kind, headers=headers)


def _json_lines(entries: QuerySet[AuditEntry]) -> Iterator[str]:
    for entry in entries.iterator(chunk_size=CHUNK):
        yield json.dumps(as_json(entry), ensure_ascii=False) + "\n"


def _csv_lines(entries: QuerySet[AuditEntry]) -> Iterator[str]:
    yield csv_line(COLUMNS)
    for entry in entries.iterator(chunk_size=CHUNK):
        yield csv_line(as_json(entry).values())
