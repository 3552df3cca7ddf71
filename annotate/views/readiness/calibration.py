"""A person's own calibration: what was expected of an item they handed in, and another attempt."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.services.readiness import asking, calibration
from annotate.services.readiness.feedback import feedback
from annotate.views.access import WORKERS, membership
from annotate.views.pages import project_page


@never_cache
@login_required
def feedback_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Only of what was handed in to a calibration: anything else is not there."""
    member = membership(request, slug, WORKERS)
    answer = calibration.answer_in(member, pk)
    if answer is None or answer.item.base is None:
        raise Http404
    context = {
        "answer": answer,
        "item": answer.item,
        "found": feedback(answer, member),
        "standing": calibration.standing(member),
        "asked": asking.asked_by(member.project),
    }
    return project_page(request, member, "readiness/feedback.html", context, tab="work")


@require_POST
@login_required
def again(request: HttpRequest, slug: str) -> HttpResponse:
    """Another attempt after one that was not passed."""
    member = membership(request, slug, WORKERS)
    if not calibration.begin(member, again=True):
        messages.error(request, _("There is no attempt to begin now. This is where you are."))
    return redirect("work", slug)
