"""Pages of the audit trail: of a project for its leads, of the installation for administrators; and its exports."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, time, timedelta
from functools import cache
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from annotate.audit.trail import COLUMNS, as_json, entries_of, verify
from annotate.engine.discovery import hooks
from annotate.formats.csv_table import csv_line
from annotate.models import AuditEntry, Member, Project
from annotate.web.access import LEADS, membership, person, project_page
from annotate.web.pager import numbered_page

PER_PAGE = 50
CHUNK = 500
NOTHING = "–"
# What the entries are called on pages. Other apps add theirs in `AUDIT_VERBS` of their hooks.
VERBS: Mapping[str, Promise] = {
    "account.created": gettext_lazy("account created"),
    "api_token.created": gettext_lazy("API token created"),
    "api_token.revoked": gettext_lazy("API token revoked"),
    "definition.written": gettext_lazy("questions saved"),
    "dispute.decided": gettext_lazy("dispute decided"),
    "duplicates.decided": gettext_lazy("decided on near-duplicates"),
    "duplicates.searched": gettext_lazy("near-duplicates searched"),
    "endpoint.changed": gettext_lazy("endpoint changed"),
    "endpoint.created": gettext_lazy("endpoint created"),
    "endpoint.forgot": gettext_lazy("detected capabilities cleared"),
    "endpoint.retired": gettext_lazy("endpoint retired"),
    "endpoint.returned": gettext_lazy("endpoint brought back"),
    "endpoint.tested": gettext_lazy("endpoint tested"),
    "files.added": gettext_lazy("files added"),
    "files.removed": gettext_lazy("files removed that no item names"),
    "guideline.written": gettext_lazy("guidelines saved"),
    "import.changed": gettext_lazy("import settings changed"),
    "import.confirmed": gettext_lazy("import confirmed"),
    "import.discarded": gettext_lazy("upload discarded"),
    "import.started": gettext_lazy("import started"),
    "import.uploaded": gettext_lazy("file uploaded"),
    "invitation.created": gettext_lazy("invitation created"),
    "invitation.revoked": gettext_lazy("invitation revoked"),
    "item.decided": gettext_lazy("item decided by a lead"),
    "item.marked": gettext_lazy("purpose of an item changed"),
    "item.released": gettext_lazy("item taken back from its holder"),
    "items.changed": gettext_lazy("bulk action on items"),
    "member.added": gettext_lazy("member added"),
    "member.changed": gettext_lazy("member changed"),
    "member.joined": gettext_lazy("joined by invitation"),
    "member.removed": gettext_lazy("member removed"),
    "password.set": gettext_lazy("password set by a command"),
    "project.changed": gettext_lazy("settings changed"),
    "project.created": gettext_lazy("project created"),
    "project.paused": gettext_lazy("project paused"),
    "project.resumed": gettext_lazy("project resumed"),
    "prompt.adopted": gettext_lazy("prompt version put into use"),
    "prompt.written": gettext_lazy("prompt version saved"),
    "ratings.imported": gettext_lazy("ratings imported"),
    "read.backup": gettext_lazy("backup written"),
    "read.export": gettext_lazy("release exported by a command"),
    "read.file": gettext_lazy("file downloaded"),
    "read.password_link": gettext_lazy("password link created"),
    "readiness.asked_again": gettext_lazy("asked to calibrate again"),
    "readiness.changed": gettext_lazy("calibration and checks changed"),
    "readiness.let_in": gettext_lazy("let in without calibration"),
    "readiness.pause_ended": gettext_lazy("pause of a member ended"),
    "release.planned": gettext_lazy("release planned"),
    "release.retried": gettext_lazy("release retried"),
    "release.withdrawn": gettext_lazy("release withdrawn"),
    "reopening.begun": gettext_lazy("stale items reopened"),
    "reopening.taken_back": gettext_lazy("reopening taken back"),
    "ruling.changed": gettext_lazy("ruling changed"),
    "ruling.question_opened": gettext_lazy("question read after giving up its item"),
    "ruling.ruled": gettext_lazy("ruling given"),
    "ruling.withdrawn": gettext_lazy("ruling withdrawn"),
    "run.budget_raised": gettext_lazy("budget of a run raised"),
    "run.cancelled": gettext_lazy("run cancelled"),
    "run.discarded": gettext_lazy("planned run discarded"),
    "run.paused": gettext_lazy("run paused"),
    "run.planned": gettext_lazy("run planned"),
    "run.reparsed": gettext_lazy("replies of a run parsed again"),
    "run.resumed": gettext_lazy("run resumed"),
    "run.retried": gettext_lazy("failed jobs retried"),
    "run.started": gettext_lazy("run started"),
    "sample.drawn": gettext_lazy("sample drawn"),
    "sample.widened": gettext_lazy("whole batch sent to review"),
    "survey.changed": gettext_lazy("survey questions changed"),
    "survey.switched": gettext_lazy("survey opened or closed"),
    "view.deleted": gettext_lazy("shared view deleted"),
    "view.shared": gettext_lazy("view shared"),
    "webhook.created": gettext_lazy("webhook created"),
    "webhook.removed": gettext_lazy("webhook removed"),
    "webhook.repeated": gettext_lazy("webhook message sent again"),
    "webhook.switched": gettext_lazy("webhook turned on or off"),
    "webhook.tested": gettext_lazy("webhook tested"),
}


@cache
def all_verbs() -> Mapping[str, Promise]:
    """verb -> its words, in the order of the verbs, of all installed apps."""
    verbs = {**VERBS}
    for others in hooks("AUDIT_VERBS"):
        verbs |= others
    return dict(sorted(verbs.items()))


def words(verb: str) -> str:
    """What people read; the verb itself where an older version wrote it."""
    return str(all_verbs().get(verb, verb))


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
