"""Disputes: an author objects once, a person who had no part in the decision answers, both sides are notified.

A dispute never changes an item. Where the author is right, the leads are offered to reopen it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.audit.trail import record
from annotate.errors import Refused, WrongState
from annotate.items.flow import refuse_withdrawn
from annotate.models import Annotation, Dispute, Item, Member, Project, User
from annotate.notices.inbox import notify
from annotate.review.corrections import ABOUT, Correction, correction_of, judged, load_corrections, may_decide
from annotate.web.access import REVIEWERS, membership, person, project_page
from annotate.web.pager import row_named, row_page

PAGE = 20


def dispute(*, text: Annotation, by: User, reason: str) -> Dispute:
    """Dispute the outcome of one's own text. Those who may decide are notified.

    Raises Refused without a reason, where nothing was decided against it, or where it was disputed before.
    """
    assert text.author_id == by.pk
    refuse_withdrawn(text.item_id, Refused)
    correction = correction_of(text, text.item.project.kind)
    if not reason.strip():
        raise Refused(_("Say why you disagree; whoever decides will read it."))
    if correction.dispute is not None:
        raise Refused(_("You have already disputed this; a text can be disputed once."))
    if not correction.may_be_disputed:
        raise Refused(_("No decision was made against this text, so there is nothing to dispute."))
    try:
        with transaction.atomic():
            new_dispute = Dispute.objects.create(annotation=text, reason=reason.strip())
            for person in _to_tell(text.item.project, correction):
                notify(person, text.item, "disputed", by=by, note=new_dispute.reason)
    except IntegrityError as twice:
        raise Refused(_("You have already disputed this; a text can be disputed once.")) from twice
    return new_dispute


def decide(*, made: Dispute, by: User, decision: str, answer: str) -> None:
    """Settle a dispute; its author and the deciders are notified. The item does not change.

    Raises Refused without an answer, or if `by` had a part in it; WrongState if somebody else decided first.
    """
    item = made.annotation.item
    refuse_withdrawn(item.pk, Refused)
    correction = correction_of(made.annotation, item.project.kind)
    if not may_decide(correction, by):
        raise Refused(_("You took part in this. Someone else has to decide it."))
    if decision not in Dispute.Decision.values or not answer.strip():
        raise Refused(_("Choose who is right, and say why; the author will read it."))
    with transaction.atomic():
        open_still = Dispute.objects.filter(pk=made.pk, decision="")
        now = timezone.now()
        if not open_still.update(decision=decision, answer=answer.strip(), decided_by=by, decided_at=now):
            raise WrongState(_("Someone else has just decided this. Reload the page."))
        for person in [made.annotation.author, *User.objects.filter(pk__in=correction.deciders)]:
            notify(person, item, "decided", by=by, note=answer.strip())
        record("dispute.decided", made, after={"decision": decision, "item": item.key}, project=item.project)


def _to_tell(project: Project, correction: Correction) -> list[User]:
    """Reviewers and leads who may decide; where nobody may, the leads, who can invite somebody."""
    members = list(project.members.select_related("user").filter(role__in=["lead", "reviewer"], user__is_active=True))
    able = [member.user for member in members if may_decide(correction, member.user)]
    return able or [member.user for member in members if member.leads]


@dataclass(frozen=True)
class DisputeRow:
    """A dispute with all about its text; mine: whether this reader may decide it."""

    dispute: Dispute
    correction: Correction
    mine: bool

    @property
    def remedy(self) -> str:
        """The lead's verb that gives the item another round, where there is one: reopen or restore."""
        verbs = {Item.State.ACCEPTED.value: "reopen", Item.State.DROPPED.value: "restore"}
        return verbs.get(self.correction.text.item.state, "")


@dataclass(frozen=True)
class DisputePage:
    rows: Sequence[DisputeRow]
    older: int | None


def disputes(member: Member, *, decided: bool = False, before: int | None = None) -> DisputePage:
    """The disputes of a project, newest first: open ones, or those that were decided."""
    dispute_query = seen_by(member)
    dispute_query = dispute_query.exclude(decision="") if decided else dispute_query.filter(decision="")
    if before is not None:
        dispute_query = dispute_query.filter(pk__lt=before)
    page = row_page(dispute_query.order_by("-pk"), PAGE)
    return DisputePage(rows_of(page.rows, member), page.next.pk if page.next else None)


def seen_by(member: Member) -> QuerySet[Dispute]:
    """The disputes that this member may see: none about work that they still have to do independently."""
    texts = Annotation.objects.filter(item__project_id=member.project_id).shown_to(member.user)
    return Dispute.objects.filter(annotation__in=texts.values("pk")).select_related("decided_by")


def open_count(member: Member) -> int:
    return seen_by(member).filter(decision="").count()


def rows_of(page_disputes: Sequence[Dispute], member: Member) -> list[DisputeRow]:
    """The disputes with the texts they are about, in three queries for any number."""
    by_text = {stored_dispute.annotation_id: stored_dispute for stored_dispute in page_disputes}
    texts = judged(Annotation.objects.filter(pk__in=by_text)).select_related(*ABOUT)
    about = {correction.text.pk: correction for correction in load_corrections(list(texts), member.project.kind)}
    return [
        DisputeRow(stored_dispute, about[pk], mine=not stored_dispute.decision and may_decide(about[pk], member.user))
        for pk, stored_dispute in by_text.items()
    ]


# The pages on which disputes are decided, by a person who had no part in the decision.


class DecisionForm(forms.Form):
    decision = forms.ChoiceField(
        label=gettext_lazy("Who is right?"), choices=Dispute.Decision.choices, widget=forms.RadioSelect
    )
    answer = forms.CharField(
        label=gettext_lazy("Answer"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The author and the previous reviewers will read it."),
    )


@never_cache
@login_required
def dispute_list(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    decided = request.GET.get("show") == "decided"
    page = disputes(member, decided=decided, before=row_named(request, "before"))
    show = "show=decided" if decided else ""
    shows_all_open = not (decided or page.older or request.GET.get("before"))
    context = {
        "page": page,
        "decided": decided,
        "waiting": len(page.rows) if shows_all_open else open_count(member),
        "older": f"?{show}&before={page.older}" if page.older else "",
        "newer": f"?{show}" if request.GET.get("before") else "",
    }
    return project_page(request, member, "corrections/disputes.html", context, tab="disputes")


@never_cache
@login_required
def dispute_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    return _dispute_page(request, member, _dispute_or_404(member, pk), DecisionForm())


@require_POST
@login_required
def dispute_decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    dispute, form = _dispute_or_404(member, pk), DecisionForm(request.POST)
    if not form.is_valid():
        return _dispute_page(request, member, dispute, form, status=422)
    try:
        decide(made=dispute, by=person(request), **form.cleaned_data)
    except (Refused, WrongState) as late:
        again = reverse("dispute", args=[slug, pk])
        return render(request, "409.html", {"reason": str(late), "again": again}, status=409)
    messages.success(request, _("Answered. The item stays as it is until someone reopens it."))
    return redirect("dispute", slug, pk)


def _dispute_or_404(member: Member, pk: int) -> Dispute:
    """A dispute of this project that this member may know of; else 404."""
    dispute = (
        seen_by(member).select_related("annotation__item", "annotation__author", "decided_by").filter(pk=pk).first()
    )
    if dispute is None:
        raise Http404
    dispute.annotation.item.project = member.project
    return dispute


def _dispute_page(
    request: HttpRequest, member: Member, dispute: Dispute, form: DecisionForm, *, status: int = 200
) -> HttpResponse:
    row: DisputeRow = rows_of([dispute], member)[0]
    context: dict[str, Any] = {"row": row, "one": row.correction, "form": form}
    return project_page(request, member, "corrections/dispute.html", context, tab="disputes", status=status)
