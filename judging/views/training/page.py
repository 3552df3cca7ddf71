from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_safe

from annotate.views.pages import project_page
from judging.services.training.base import (
    BRANCHING,
    CORRECTIONS,
    CRITERIA,
    GUIDELINES,
    JUDGEMENTS,
    REVERSE_CRITERIA,
    REVERSE_GUIDELINES,
    REVERSE_JUDGEMENTS,
    SHARES,
    Chosen,
)
from judging.services.training.files import command
from judging.services.training.packing import packed
from judging.services.training.remembered import counts_of
from judging.views.agreement.access import agreement_member
from judging.views.training.forms import TrainingForm

NAMES: Mapping[str, str | Promise] = {
    CRITERIA: _("Criteria"),
    GUIDELINES: pgettext_lazy("training data", "Guidelines"),
    JUDGEMENTS: _("Judgements"),
    CORRECTIONS: _("Corrections"),
    REVERSE_CRITERIA: _("Recovered criteria"),
    REVERSE_GUIDELINES: _("Recovered guidelines"),
    REVERSE_JUDGEMENTS: _("Judgements by recovered criteria"),
}


@require_safe
@login_required
def training_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Rows by step and split, of what the address asks for."""
    member = agreement_member(request, slug)
    form = _form(request, member.project)
    if not form.is_valid():
        return project_page(request, member, "training/training.html", {"form": form}, tab="releases", status=422)
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
    return project_page(request, member, "training/training.html", context, tab="releases")


@require_safe
@login_required
def training_files(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """All files as a zip that is made while it is sent; nothing of it is stored."""
    member = agreement_member(request, slug)
    form = _form(request, member.project)
    if not form.is_valid():
        return project_page(request, member, "training/training.html", {"form": form}, tab="releases", status=422)
    selection: Chosen = form.chosen()
    pieces = packed(member.project, selection, licence=form.cleaned_data["licence"])
    headers = {"Content-Disposition": f'attachment; filename="{slug}-training.zip"'}
    return StreamingHttpResponse(pieces, content_type="application/zip", headers=headers)


def _form(request: HttpRequest, project: Any) -> TrainingForm:
    """What the address says, and the usual for what it does not."""
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
            pgettext_lazy("training data", "Recovered from judgements of others"),
            bridged,
            list(counts["bridged"].values()),
        ),
    ]
