from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from annotate.kinds.base import Kind
from annotate.models import Annotation, SetAside, Slot
from annotate.services.work import loose_drafts, take_up, texts_set_aside
from annotate.views.access import WORKERS, membership
from annotate.views.pages import project_page


@login_required
def my_drafts(request: HttpRequest, slug: str) -> HttpResponse:
    """Every text that its author wrote and that stands nowhere else."""
    member = membership(request, slug, WORKERS)
    kind = member.project.kind
    context = {
        "drafts": [_shown(kind, draft, draft.draft) for draft in loose_drafts(member)],
        "asides": [_shown(kind, aside.annotation, aside.draft, aside) for aside in texts_set_aside(member)],
    }
    return project_page(request, member, "work/drafts.html", context, tab="work")


@login_required
def go_on(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, WORKERS)
    if request.method == "POST" and not take_up(member, pk):
        messages.error(request, _("This item cannot be taken up now: somebody has it, or it is done."))
        return redirect("my_drafts", slug)
    return redirect("work_item", slug, pk)


def _shown(
    kind: Kind, annotation: Annotation, draft: dict[str, object], aside: SetAside | None = None
) -> dict[str, object]:
    """One text, field by field, with what can be done about it."""
    fields = kind.fields(kind.read_facts(annotation.item.facts))
    rows = [(field.label, kind.shown(field.name, draft.get(field.name))) for field in fields]
    slot = annotation.slot
    return {
        "annotation": annotation,
        "item": annotation.item,
        "slot": slot,
        "rows": [(label, text) for label, text in rows if text],
        "at": aside.created_at if aside else annotation.saved_at,
        "open": slot is not None and slot.state == Slot.State.OPEN,
    }
