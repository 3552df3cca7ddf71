"""The workshop: how far the judgements are, each of them, and the way to the desk where they are approved or edited."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from annotate.models import Item, Member, Project, Slot
from annotate.services import work
from annotate.services.errors import Refused
from annotate.views.access import LEADS, REVIEWERS, person
from annotate.views.pages import project_page
from judging.services.bridging.approving import approve_part
from judging.services.bridging.lists import listed, next_proposed, proposed
from judging.services.bridging.own import make, possible_sources
from judging.services.bridging.stages import PROPOSED, STAGES, progress
from judging.views.blindspots.pairs import whole
from judging.views.bridging.access import bridging_member


class MakeForm(forms.Form):
    source = forms.ModelChoiceField(queryset=Project.objects.none(), label=gettext_lazy("Accepted work of"))

    def __init__(self, *args: Any, lead: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["source"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = possible_sources(lead.project, lead.user)


class ApproveForm(forms.Form):
    """Of which set, and where a long approval is."""

    judge = forms.CharField(required=False, strip=False, max_length=1000)
    style = forms.CharField(required=False, max_length=40)
    sure = forms.BooleanField()
    after = forms.IntegerField(required=False, min_value=0, max_value=2**62)
    done = forms.IntegerField(required=False, min_value=0, max_value=2**31)


@require_safe
@login_required
def bridging(request: HttpRequest, slug: str) -> HttpResponse:
    """?stage= one of STAGES, ?judge= whose judgements, with ?style= of one set, ?after= where the list goes on."""
    member = bridging_member(request, slug)
    return _page(request, member, MakeForm(lead=member) if member.leads else None)


def _page(request: HttpRequest, member: Member, form: MakeForm | None, *, status: int = 200) -> HttpResponse:
    stage, judge, style = (request.GET.get(name, "").replace("\0", "") for name in ("stage", "judge", "style"))
    stage = stage if stage in STAGES else ""
    far = progress(member.project)
    context = {
        "far": far,
        "stages": [(name, words, far.counts[name]) for name, words in STAGES.items()],
        "page": listed(
            member.project, stage=stage, judge=judge, style=style, after=whole(request.GET.get("after", ""))
        ),
        "stage": stage,
        "stage_words": STAGES.get(stage, ""),
        "judge": judge,
        "style": style,
        "to_approve": _to_approve(member, stage, judge, style),
        "form": form,
    }
    return project_page(request, member, "bridging/workshop.html", context, tab="judging", status=status)


def _to_approve(member: Member, stage: str, judge: str, style: str) -> int:
    """How many proposals a lead can approve at once in this list; 0 in lists of other stages."""
    return proposed(member.project, judge=judge, style=style).count() if member.leads and stage == PROPOSED else 0


@require_POST
@login_required
def bridging_next(request: HttpRequest, slug: str) -> HttpResponse:
    """The first proposal that waits for this person, on the desk."""
    member = bridging_member(request, slug, REVIEWERS)
    slot = next_proposed(member.project, member)
    return _to_desk(request, member, slot.pk if slot else 0)


@require_POST
@login_required
def bridging_take(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """This very judgement, on the desk."""
    member = bridging_member(request, slug, REVIEWERS)
    item = get_object_or_404(Item, project=member.project, pk=pk)
    slots = Slot.objects.unfinished().filter(item=item, stage=Slot.Stage.ANNOTATE, round=item.round)
    slot = slots.held_by(member.user).first() or slots.open().order_by("no").first()
    return _to_desk(request, member, slot.pk if slot else 0)


def _to_desk(request: HttpRequest, member: Member, slot: int) -> HttpResponse:
    held_slot = work.take_up(member, slot) if slot else None
    if held_slot is None:
        messages.warning(request, _("There is no proposal here that you could take up now."))
        return redirect("bridging", member.project.slug)
    return redirect("work_item", member.project.slug, held_slot.pk)


@require_POST
@login_required
def bridging_approve(request: HttpRequest, slug: str) -> HttpResponse:
    """A part of the proposals of a set, or of all, as they stand. The answer says how many are left and goes on."""
    lead = bridging_member(request, slug, LEADS)
    form = ApproveForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Nothing was approved: tick the box to say that you want all of them."))
        return redirect("bridging", slug)
    judge, style = form.cleaned_data["judge"], form.cleaned_data["style"]
    after, approved_count = form.cleaned_data["after"] or 0, form.cleaned_data["done"] or 0
    outcome = approve_part(project=lead.project, by=person(request), judge=judge, style=style, after=after)
    context = {
        "outcome": outcome,
        "done": approved_count + outcome.done,
        "left": proposed(lead.project, judge=judge, style=style).filter(pk__gt=outcome.after).count(),
        "judge": judge,
        "style": style,
    }
    return project_page(request, lead, "bridging/approved.html", context, tab="judging")


@require_POST
@login_required
def bridging_make(request: HttpRequest, slug: str) -> HttpResponse:
    """Judgements of the accepted work of another project that this lead leads too."""
    lead = bridging_member(request, slug, LEADS)
    form = MakeForm(request.POST, lead=lead)
    if not form.is_valid():
        return _page(request, lead, form, status=422)
    try:
        outcome = make(project=lead.project, source=form.cleaned_data["source"], by=person(request))
    except Refused as refused:
        form.add_error("source", str(refused))
        return _page(request, lead, form, status=422)
    new_count, duplicate_count = outcome.report.kept, outcome.report.duplicates
    message = ngettext("%(n)d judgement was made", "%(n)d judgements were made", new_count) % {"n": new_count}
    messages.success(
        request, _("%(made)s, %(there)d were there already.") % {"made": message, "there": duplicate_count}
    )
    return redirect("bridging", slug)
