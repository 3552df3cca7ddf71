"""What the buttons of the review page post. Text comes first: it is saved, or set aside, before anything is refused."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotate.models import Item
from annotate.services import drafts, fields, queue, reviewing, work
from annotate.services.errors import LeaseLost, NotReady, Refused, StaleDraft, WrongState
from annotate.services.reviewing import Reason, taking
from annotate.services.reviewing.desk import ReviewDesk, item_text, review_desk
from annotate.views.access import REVIEWERS, membership
from annotate.views.review.page import aside_conflict, conflict_of, review_page, review_parts
from annotate.views.review.posted import number, posted, reasons, token, words

View = Callable[[HttpRequest, ReviewDesk], HttpResponse]


def posted_to_review(view: View) -> Callable[[HttpRequest, str, int], HttpResponse]:
    """Finds the reviewer's own text. A GET, such as after signing in again, leads back to its page."""

    @login_required
    @wraps(view)
    def found(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
        member = membership(request, slug, REVIEWERS)
        if request.method != "POST":
            return redirect("review_item", slug, pk)
        desk = review_desk(member, pk)
        if desk is None:
            raise Http404
        if desk.annotation._state.adding or desk.annotation.author_id != member.user_id:
            return _never_had(request, desk)
        return view(request, desk)

    return found


@posted_to_review
def save(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Keep the text. A script gets the parts that changed, a plain form its page again."""
    try:
        _save(request, desk, action=request.POST.get("action", ""))
    except StaleDraft:
        return _conflict(request, desk)
    work.keep_lease(desk, token(request))
    if _wants_parts(request):
        return review_parts(request, desk)
    return redirect(f"{_address(desk)}?{_where_to(request)}")


def _where_to(request: HttpRequest) -> str:
    """Without a script, the buttons that open a form save first and then lead to it."""
    if request.POST.get("open") in ("return", "drop"):
        return urlencode({"open": request.POST["open"]})
    if request.POST.get("field"):
        return urlencode({"open": "return", "field": request.POST["field"]})
    return "open=fix#fix"


@posted_to_review
def heartbeat(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    kept = work.keep_lease(desk, token(request))
    context = {"desk": desk, "project": desk.project, "slot": desk.slot, "item": desk.item}
    return render(request, "work/_lease.html", context, status=200 if kept else 409)


@posted_to_review
def release(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Hand the review back; somebody gets it, perhaps the same person."""
    try:
        _save(request, desk)
        queue.release(desk.slot, token(request))
    except StaleDraft:
        return _conflict(request, desk)
    except LeaseLost:
        return _lost(request, desk)
    messages.success(request, _("Handed back to the queue. What you wrote is kept for you."))
    return redirect("review", desk.project.slug)


@posted_to_review
def resolve(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Choose between the texts of two windows; the other one stays under My drafts."""
    wanted = request.POST.get("aside", "")
    aside = (
        desk.annotation.set_aside.filter(pk=int(wanted)).first() if wanted.isdecimal() and len(wanted) < 18 else None
    )
    if aside and request.POST.get("keep") == "mine":
        try:
            work.swap(desk.annotation, aside)
        except StaleDraft:
            return review_page(request, desk, status=409, **aside_conflict(desk, aside))
    return redirect(_address(desk))


# --- decisions --------------------------------------------------------------------------------------------------------
def decision(open_form: str = "") -> Callable[[View], Callable[[HttpRequest, str, int], HttpResponse]]:
    """A view that decides: the text is saved first, and everything that can go wrong is answered here.

    open_form: the form that stands open again if the decision is refused.
    """

    def decorated(decide: View) -> Callable[[HttpRequest, str, int], HttpResponse]:
        @posted_to_review
        @wraps(decide)
        def view(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
            if desk.is_submitted:
                return _go_on(request, desk)  # a double click, or a retry after a lost answer
            try:
                _save(request, desk)
                return decide(request, desk)
            except StaleDraft:
                return _conflict(request, desk)
            except NotReady as not_ready:
                return review_page(request, desk, status=422, refused=not_ready.findings, open="fix")
            except Refused as refused:
                more = {"said": str(refused), "open": open_form, "reasons": reasons(request) or [Reason("", "")]}
                return review_page(request, desk, status=422, **more)
            except (LeaseLost, WrongState):
                return _lost(request, desk)

        return view

    return decorated


@decision()
def accept(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    item = reviewing.accept(review=desk.annotation, token=token(request), by=desk.member.user)
    return _decided(request, desk, item)


@decision(open_form="fix")
def fix(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    note = words(request.POST.get("fix_note", ""))
    item = reviewing.fix_and_accept(review=desk.annotation, token=token(request), by=desk.member.user, note=note)
    return _decided(request, desk, item)


@decision(open_form="return")
def send_back(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    said = reasons(request)
    known = {"", *(one.name for one in desk.kind.fields(desk.facts))}
    if any(reason.field not in known for reason in said):
        raise Refused(_("Choose the field that each reason is about."))
    item = reviewing.send_back(review=desk.annotation, token=token(request), by=desk.member.user, reasons=said)
    return _decided(request, desk, item)


@decision(open_form="drop")
def drop(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    reason, note = request.POST.get("drop_reason", ""), words(request.POST.get("drop_note", ""))
    item = reviewing.drop(review=desk.annotation, token=token(request), by=desk.member.user, reason=reason, note=note)
    return _decided(request, desk, item)


def _decided(request: HttpRequest, desk: ReviewDesk, item: Item) -> HttpResponse:
    told = {
        Item.State.ACCEPTED: _("%(item)s is accepted."),
        Item.State.READY: _("%(item)s went back to its author, round %(round)s."),
        Item.State.DROPPED: _("%(item)s left the dataset. A lead can restore it."),
    }
    messages.success(request, told[Item.State(item.state)] % {"item": item.key, "round": item.round})
    return _go_on(request, desk)


def _go_on(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """On to the next review, which is claimed here so that its page is a plain GET."""
    slot = taking.take_next(desk.member)
    slug = desk.project.slug
    return redirect("review_item", slug, slot.pk) if slot else redirect("review", slug)


# --- what went wrong --------------------------------------------------------------------------------------------------
def _never_had(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    reason = taking.why_not(desk.slot, desk.member)
    context = {"reason": reason, "again": reverse("review", args=[desk.project.slug])}
    return render(request, "409.html", context, status=409)


def _conflict(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Another window was faster: nothing is overwritten, this window's text is set aside, both are shown."""
    aside = work.set_aside(desk.annotation, posted(request, desk))
    answer = review_parts if _wants_parts(request) else review_page
    return answer(request, desk, status=409, **aside_conflict(desk, aside))


def _lost(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """The review is no longer this person's, or the item moved on; their text was saved before this was found out."""
    again = review_desk(desk.member, desk.slot.pk)
    assert again is not None
    conflict = conflict_of(again, desk.draft, item_text(again.item))
    return review_page(request, again, status=409, lost=True, conflict=conflict)


# --- saving ----------------------------------------------------------------------------------------------------------
def _save(request: HttpRequest, desk: ReviewDesk, action: str = "") -> None:
    """Store the posted text. Raises StaleDraft."""
    draft = posted(request, desk)
    if action:
        draft, _kept = fields.act(desk.kind, desk.facts, draft, [], action=action, suggested=desk.about.draft)
    drafts.save(
        desk.annotation, draft, revision=number(request, "revision"), decided=[], seconds=number(request, "seconds")
    )


def _address(desk: ReviewDesk) -> str:
    return reverse("review_item", args=[desk.project.slug, desk.slot.pk])


def _wants_parts(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"
