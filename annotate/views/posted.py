"""What the forms of the desks hold, read without ever failing."""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotate.models import Annotation, SetAside
from annotate.services import work
from annotate.services.errors import LeaseLost, StaleDraft, WrongState
from annotate.services.work import Desk

D = TypeVar("D", bound=Desk)
View = Callable[[HttpRequest, D], HttpResponse]
NO_TOKEN = uuid.UUID(int=0)


def text_first(
    keep: Callable[[HttpRequest, D], object], *, conflict: View[D], lost: View[D]
) -> Callable[[View[D]], View[D]]:
    """A view that acts on a text once it is kept, so that nothing that is refused loses a word.

    keep: raises StaleDraft. conflict: answers that, when another window was faster. lost: answers LeaseLost and
    WrongState, when the work is no longer this person's.
    """

    def decorated(view: View[D]) -> View[D]:
        @wraps(view)
        def kept(request: HttpRequest, desk: D) -> HttpResponse:
            try:
                keep(request, desk)
                return view(request, desk)
            except StaleDraft:
                return conflict(request, desk)
            except (LeaseLost, WrongState):
                return lost(request, desk)

        return kept

    return decorated


def number(request: HttpRequest, name: str) -> int:
    """A count; 0 where there is none."""
    text = request.POST.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def token(request: HttpRequest) -> uuid.UUID:
    """The lease under which the page was opened; one that nobody holds where it cannot be read."""
    try:
        return uuid.UUID(request.POST.get("token", ""))
    except ValueError:
        return NO_TOKEN


def chosen_aside(request: HttpRequest, annotation: Annotation) -> SetAside | None:
    """The text that was set aside, if it is to take the place of what is stored."""
    aside_id = request.POST.get("aside", "")
    if request.POST.get("keep") != "mine" or not aside_id.isdecimal() or len(aside_id) > 17:
        return None
    return annotation.set_aside.filter(pk=int(aside_id)).first()


def wants_parts(request: HttpRequest) -> bool:
    """Whether a script asks, which puts the parts that changed into its page."""
    return request.headers.get("HX-Request") == "true"


def sign_of_life(request: HttpRequest, desk: Desk) -> HttpResponse:
    """The lease as it is now; 409 where it is lost."""
    has_lease = work.keep_lease(desk, token(request))
    context = {"desk": desk, "project": desk.project, "slot": desk.slot, "item": desk.item}
    return render(request, "work/_lease.html", context, status=200 if has_lease else 409)
