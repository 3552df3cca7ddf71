"""Views behind the buttons of the work page, and the readers of posted values that all desks share.

The readers never fail on bad input. The posted text is saved, or set aside, before anything is refused.
"""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from urllib.parse import quote

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotate.errors import LeaseLost, NotReady, Refused, StaleDraft, WrongState
from annotate.items import drafts, leases
from annotate.items.compare import ordered_as
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Item, SetAside
from annotate.models.work import SKIP_REASONS
from annotate.web.access import WORKERS, membership
from annotate.work import desk as work_desk
from annotate.work import field_states
from annotate.work import submit as work_submit
from annotate.work.desk import Desk
from annotate.work.pages import TAKES_PAGE, conflict_parts, page_at_once, work_page, work_parts
from annotate.work.siblings import make_sibling
from annotate.work.submit import hand_in

D = TypeVar("D", bound=Desk)
View = Callable[[HttpRequest, D], HttpResponse]
NO_TOKEN = uuid.UUID(int=0)


def text_first(
    keep: Callable[[HttpRequest, D], object], *, conflict: View[D], lost: View[D]
) -> Callable[[View[D]], View[D]]:
    """A decorator that stores the text before the view acts on it, so that a refusal never loses text.

    keep: stores the text; raises StaleDraft. conflict: responds to StaleDraft, when another window was faster.
    lost: responds to LeaseLost and WrongState, when the work is no longer this person's.
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


def token(request: HttpRequest, desk: Desk) -> uuid.UUID:
    """The token of the lease under which the page was opened; NO_TOKEN, which nobody holds, if it cannot be read, or if
    this person does not hold the item now: the lease of somebody else is not theirs to use.
    """
    try:
        return uuid.UUID(request.POST.get("token", "")) if desk.is_held else NO_TOKEN
    except ValueError:
        return NO_TOKEN


def chosen_aside(request: HttpRequest, annotation: Annotation) -> SetAside | None:
    """The text that was set aside, if it is to take the place of what is stored."""
    aside_id = request.POST.get("aside", "")
    if request.POST.get("keep") != "mine" or not aside_id.isdecimal() or len(aside_id) > 17:
        return None
    return annotation.set_aside.filter(pk=int(aside_id)).first()


def wants_parts(request: HttpRequest) -> bool:
    """Whether the request comes from a script, which replaces only the changed fragments of its page."""
    return request.headers.get("HX-Request") == "true"


def sign_of_life(request: HttpRequest, desk: Desk) -> HttpResponse:
    """The lease as it is now; 409 where it is lost."""
    has_lease = work_desk.keep_lease(desk, token(request, desk))
    context = {"desk": desk, "project": desk.project, "slot": desk.slot, "item": desk.item}
    return render(request, "work/_lease.html", context, status=200 if has_lease else 409)


# The buttons of the work page.


def posted_to_desk(view: View[Desk]) -> Callable[[HttpRequest, str, int], HttpResponse]:
    """Finds the person's own work. A GET, such as after signing in again, leads back to its page."""

    @login_required
    @wraps(view)
    def found(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
        member = membership(request, slug, WORKERS)
        if request.method != "POST":
            return redirect("work_item", slug, pk)
        desk = work_desk.desk(member, pk)
        if desk is None:
            raise Http404
        try:
            return view(request, desk)
        except WrongState:  # its reporter has withdrawn it: nothing of it is kept
            return _lost(request, desk)

    return found


def _save(request: HttpRequest, desk: Desk, action: str = "") -> None:
    """Store the posted text. Raises StaleDraft."""
    revision, seconds = number(request, "revision"), number(request, "seconds")
    edited = drafts.EditRecord(_posted_draft(request, desk), _decided(request, desk))
    if action:
        edited = _acted(request, desk, edited, action)
    drafts.save(
        desk.annotation,
        edited.draft,
        revision=revision,
        decided=edited.decided,
        seconds=seconds,
        picked=edited.picked,
    )


def _conflict(request: HttpRequest, desk: Desk, posted: dict[str, Any] | None = None) -> HttpResponse:
    """Another window saved first: nothing is overwritten, this window's text is set aside, and both are shown."""
    aside = work_desk.set_aside(desk.annotation, posted or _posted_draft(request, desk))
    answer = work_parts if wants_parts(request) else work_page
    return answer(request, desk, status=409, **conflict_parts(desk, aside))


def _lost(request: HttpRequest, desk: Desk) -> HttpResponse:
    """The item is no longer this person's; their text was saved before this was detected."""
    again = work_desk.desk(desk.member, desk.slot.pk)
    assert again is not None
    return work_page(request, again, lost=True, status=409)


_text_first = text_first(_save, conflict=_conflict, lost=_lost)
heartbeat = posted_to_desk(sign_of_life)


@posted_to_desk
def save(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Keep the text. A script gets the parts that changed, a plain form its page again."""
    try:
        _save(request, desk, action=request.POST.get("action", ""))
    except StaleDraft:
        return _conflict(request, desk)
    work_desk.keep_lease(desk, token(request, desk))
    if wants_parts(request):
        return work_parts(request, desk)
    anchor = _plain_form_url(request.POST.get("action", ""))
    return redirect(f"{_address(desk)}{anchor}")


@posted_to_desk
def submit(request: HttpRequest, desk: Desk) -> HttpResponse:
    if desk.is_submitted and _is_the_same(request, desk):
        return _submitted(request, desk)  # a double click, or a retry after a lost answer
    return _hand_in(request, desk)


@_text_first
def _hand_in(request: HttpRequest, desk: Desk) -> HttpResponse:
    problems, _doubts = desk.checks  # what has to be mended anyway comes before the question
    if (desk.unanswered or desk.untouched) and not problems and request.POST.get("confirm") != "1":
        return work_page(request, desk, ask=True, status=422)
    try:
        hand_in(annotation=desk.annotation, token=token(request, desk), by=desk.member.user, item=desk.item)
    except NotReady as refused:
        return work_page(request, desk, refused=refused.findings, status=422)
    if desk.annotation.outcome == Annotation.Outcome.REVISED:  # others have it now, so there is no undo to offer
        messages.success(request, _("Submitted. You changed the text, so another person reviews it next."))
        return _go_on(request, desk)
    return _submitted(request, desk)


def _submitted(request: HttpRequest, desk: Desk) -> HttpResponse:
    """A text that somebody worked on is not held up by suggestions left in it: the toast counts them."""
    left = 0 if desk.untouched else len(desk.unconfirmed)
    return _go_on(request, desk, done=desk.slot.pk, **({"left": left} if left else {}))


@posted_to_desk
@_text_first
def skip(request: HttpRequest, desk: Desk) -> HttpResponse:
    reason = request.POST.get("reason", "")
    if reason not in dict(SKIP_REASONS):
        messages.error(request, _("Choose why you skip this item."))
        return redirect(_address(desk))
    leases.skip(desk.slot, token(request, desk), person=desk.member.user, reason=reason)
    drafts.forget_untouched(desk.annotation, desk.item, desk.kind.fields(desk.facts))
    return _go_on(request, desk, skipped=desk.slot.pk)


@posted_to_desk
@_text_first
def release(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Return the item to the queue without a reason; anybody may get it next, also the same person."""
    leases.release(desk.slot, token(request, desk))
    drafts.forget_untouched(desk.annotation, desk.item, desk.kind.fields(desk.facts))
    messages.success(request, _("Put back into the queue. What you wrote is under My drafts."))
    return redirect("work", desk.project.slug)


@posted_to_desk
@_text_first
def sibling(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Make an item of one of the candidates."""
    if not work_desk.keep_lease(desk, token(request, desk)):
        return _lost(request, desk)
    number, suggestion = request.POST.get("candidate", ""), desk.annotation.suggestion
    if suggestion is None or not _is_small(number):
        raise Http404
    try:
        new_item = make_sibling(item=desk.item, suggestion=suggestion, number=int(number), by=desk.member.user)
    except (Refused, WrongState) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(
            request, _("%(key)s is in the queue, with this feedback as its draft.") % {"key": new_item.key}
        )
    return redirect(f"{_address(desk)}#field-candidates")


@login_required
def undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take back a submission, or a skip."""
    member = membership(request, slug, WORKERS)
    if request.method != "POST":
        return redirect("work_item", slug, pk)
    desk = work_desk.desk(member, pk)
    if desk and desk.is_submitted:
        try:
            work_submit.undo(annotation=desk.annotation, by=member.user)
        except (WrongState, LeaseLost) as late:
            messages.error(request, str(late))
    elif not work_desk.back_from_skip(member, pk):
        messages.error(request, _("Someone else has taken this item in the meantime."))
        return redirect("work", slug)
    return redirect("work_item", slug, pk)


@posted_to_desk
def resolve(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Choose between two texts of one draft; the other one stays under My drafts."""
    if aside := chosen_aside(request, desk.annotation):
        try:
            work_desk.swap(desk.annotation, aside)
        except StaleDraft:
            return _conflict(request, desk, posted=aside.draft)
    return redirect(_address(desk))


def _acted(request: HttpRequest, desk: Desk, edited: drafts.EditRecord, action: str) -> drafts.EditRecord:
    """The text after a form button: pick a candidate, take over a newer suggestion, or `field_states.act`."""
    draft, decided = edited.draft, edited.decided
    verb, _colon, argument = action.partition(":")
    if verb == "pick":
        return drafts.pick(desk.annotation, draft, decided, int(argument) if _is_small(argument) else -1)
    if verb == "take":
        newer = _newer(request, desk)
        return drafts.take(desk.kind, desk.facts, newer, draft, decided, argument) if newer else edited
    acted = field_states.act(desk.kind, desk.facts, draft, decided, action=action, suggested=desk.suggested)
    return drafts.EditRecord(*acted)


def _newer(request: HttpRequest, desk: Desk) -> Annotation | None:
    """The suggestion that was on the page, even if there is a newer one by now."""
    suggestion_id = request.POST.get("newer", "")
    if desk.slot.blind or not suggestion_id.isdecimal() or len(suggestion_id) > 18:
        return None
    return Annotation.objects.exclude(model="").filter(pk=suggestion_id, item_id=desk.item.pk).first()


def _is_small(number: str) -> bool:
    return number.isdecimal() and len(number) < 6


def _plain_form_url(action: str) -> str:
    """Where the page of a plain form opens again."""
    if action.startswith("pick:"):
        return "#field-candidates"
    if action.startswith("tree:"):
        return "#field-branches"
    if action.startswith("rows:"):
        return f"#field-{quote(action.removeprefix('rows:').rpartition(':')[0])}"
    return "#field-checklist" if action.startswith(("add", "up", "down", "rem")) else ""


def _posted_draft(request: HttpRequest, desk: Desk) -> dict[str, Any]:
    draft = desk.kind.read_form(request.POST, desk.facts)
    return ordered_as(desk.kind.fields(desk.facts), draft, {**desk.draft, **desk.suggested})


def _decided(request: HttpRequest, desk: Desk) -> list[str]:
    names = {field.name for field in desk.kind.fields(desk.facts)}
    return sorted(names & set(request.POST.getlist("decided")))


def _is_the_same(request: HttpRequest, desk: Desk) -> bool:
    try:
        return bool(desk.kind.read_draft(_posted_draft(request, desk)).stored() == desk.draft)
    except BadShape:
        return False


def _go_on(request: HttpRequest, desk: Desk, **parameters: int) -> HttpResponse:
    """On to the next item, which is claimed here so that its page is a plain GET. A script may get the page at once."""
    slug = desk.project.slug
    if "done" in parameters and desk.slot.own and desk.item.purpose == Item.Purpose.CALIBRATION:
        return redirect("work_feedback", slug, desk.slot.pk)
    slot = work_desk.open_next(desk.member)
    address = reverse("work_item", args=[slug, slot.pk]) if slot else reverse("work", args=[slug])
    address = f"{address}?{urlencode(parameters)}" if parameters else address
    next_desk = work_desk.desk(desk.member, slot.pk) if slot and TAKES_PAGE in request.headers else None
    return page_at_once(request, next_desk, address) if next_desk else redirect(address)


def _address(desk: Desk) -> str:
    return reverse("work_item", args=[desk.project.slug, desk.slot.pk])
