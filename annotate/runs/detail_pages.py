"""Pages of a run's jobs, and of one job with its calls in full."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.kinds.protocol import Cause
from annotate.media.queries import files_by_name
from annotate.models import Call, Job, MediaFile, Project
from annotate.runs.pages import run_of
from annotate.runs.queries import jobs_page
from annotate.web.access import LEADS, membership, project_page
from annotate.web.pager import numbered_page, row_named

CALLS_PER_PAGE = 50
CALL_CHARACTERS_SHOWN = 50_000  # characters of one text
ROLES: Mapping[str, Promise] = {
    "system": _("Instructions to the model"),
    "developer": _("Instructions to the model"),
    "user": _("User message"),
    "assistant": _("Earlier reply of the model"),
    "tool": _("Tool output"),
}


@dataclass(frozen=True)
class Message:
    """One turn of what was sent. who: the role in words, or the role itself if it is unknown."""

    who: str | Promise
    content: str


@dataclass(frozen=True)
class CallText:
    """raw: the text up to CALL_CHARACTERS_SHOWN characters. laid_out: the same JSON over several lines; "" if it is
    none.

    cut: number of characters that are not shown.
    """

    raw: str
    laid_out: str
    cut: int


@dataclass(frozen=True)
class SentImage:
    """A reference of the ledger to an image. file: the stored one with this content; None if there is none any more."""

    title: str
    name: str
    sha256: str
    file: MediaFile | None


@dataclass(frozen=True)
class CallView:
    """request: everything that was sent. reply, reasoning: None if there is none. asked_with: how it was sent.

    images: they followed the last user message.
    """

    call: Call
    messages: list[Message]
    images: list[SentImage]
    request: CallText
    reply: CallText | None
    reasoning: CallText | None
    asked_with: list[tuple[str, str]]


def call_views(project: Project, calls: Sequence[Call]) -> list[CallView]:
    """One query for the images of all, if there are any."""
    names = {image.name for call in calls for image in _images(call, {})}
    files = files_by_name(project, names) if names else {}
    return [call_view(call, files) for call in calls]


def call_view(call: Call, files: Mapping[str, MediaFile]) -> CallView:
    messages = _request(call).get("messages")
    turns = [_message(message) for message in messages] if isinstance(messages, list) else []
    sent = json.dumps(call.request, ensure_ascii=False, indent=2)
    request_text = CallText(sent[:CALL_CHARACTERS_SHOWN], "", max(len(sent) - CALL_CHARACTERS_SHOWN, 0))
    reply, reasoning = text(call.reply), text(call.reasoning)
    return CallView(call, turns, _images(call, files), request_text, reply, reasoning, request_parameters(call))


def _request(call: Call) -> Mapping[str, Any]:
    return call.request if isinstance(call.request, dict) else {}


def _images(call: Call, files: Mapping[str, MediaFile]) -> list[SentImage]:
    images = []
    for image in _request(call).get("images") or ():
        title, name, sha256 = image["title"], image["name"], image["sha256"]
        file = files.get(name)
        images.append(SentImage(title, name, sha256, file if file and file.sha256 == sha256 else None))
    return images


def request_parameters(call: Call) -> list[tuple[str, str]]:
    """Parameters and the format of the reply as they were sent: (name, value)."""
    sent = call.sent if isinstance(call.sent, dict) else {}
    return [(name, value if isinstance(value, str) else json.dumps(value)) for name, value in sorted(sent.items())]


def text(reply: str) -> CallText | None:
    """A reply for display; None for no reply."""
    if not reply:
        return None
    return CallText(reply[:CALL_CHARACTERS_SHOWN], _laid_out(reply), max(len(reply) - CALL_CHARACTERS_SHOWN, 0))


def _laid_out(reply: str) -> str:
    """Only objects and lists: a single word or number is best read unchanged."""
    try:
        content = json.loads(reply) if len(reply) <= CALL_CHARACTERS_SHOWN else None
    except (ValueError, RecursionError):
        return ""
    laid_out = json.dumps(content, ensure_ascii=False, indent=2) if isinstance(content, dict | list) else ""
    return laid_out if laid_out != reply else ""


def _message(message: Any) -> Message:
    if not isinstance(message, dict):
        return Message("", str(message)[:CALL_CHARACTERS_SHOWN])
    content, role = message.get("content", ""), str(message.get("role", ""))
    content_text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)
    return Message(ROLES.get(role, role), content_text[:CALL_CHARACTERS_SHOWN])


@login_required
def run_jobs(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A run's jobs: of one state, of one cause, or all."""
    lead = membership(request, slug, LEADS)
    run = run_of(lead, pk)
    cause, state = _known_choice(request, "cause", Cause.values), _known_choice(request, "state", Job.State.values)
    page = jobs_page(
        run, state=state, cause=cause, after=row_named(request, "after"), before=row_named(request, "before")
    )
    context = {"run": run, "page": page, "state": state, "cause": cause, "states": Job.State.choices}
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": lead.project, "membership": lead}
        return render(request, "runs/_jobs.html", frame | context)
    return project_page(request, lead, "runs/jobs.html", context, tab="runs")


def _known_choice(request: HttpRequest, name: str, values: list[str]) -> str:
    choice = request.GET.get(name, "")
    return choice if choice in values else ""


@login_required
def job(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One job with its ledger: every request and every reply, unchanged."""
    lead = membership(request, slug, LEADS)
    stored_job = (
        Job.objects.filter(pk=pk, run__project=lead.project)
        .select_related("run__endpoint", "item")
        .defer("item__facts")
        .first()
    )
    if stored_job is None:
        raise Http404
    page = numbered_page(request, stored_job.calls.order_by("sent_at", "pk"), CALLS_PER_PAGE)
    context = {
        "job": stored_job,
        "run": stored_job.run,
        "calls": call_views(lead.project, list(page)),
        "page": page,
    }
    return project_page(request, lead, "runs/job.html", context, tab="runs")
