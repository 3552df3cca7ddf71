"""People label explanations that a model has read, without what it found; and the verdicts behind the comparison."""

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from annotate.models import Member
from annotate.views.access import REVIEWERS, person
from annotate.views.pages import project_page
from judging.models import Judge
from judging.services.blindspots.reading_check import behind
from judging.services.blindspots.reading_sample import LABELS, examined, label, next_for
from judging.views.blindspots.access import blind_spots_member
from judging.views.blindspots.pairs import whole

LARGEST = 2**63 - 1


class LabelForm(forms.Form):
    verdict = forms.IntegerField(min_value=1, max_value=LARGEST)
    found = forms.ChoiceField(choices=[("yes", _("Yes")), ("no", _("No")), ("cannot_tell", _("Cannot tell"))])


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def blindspot_check(request: HttpRequest, slug: str) -> HttpResponse:
    """The next explanation of the sample; a POST keeps what this person says of one."""
    member = blind_spots_member(request, slug, REVIEWERS)
    if request.method != "POST":
        return _next(request, member)
    form = LabelForm(request.POST)
    if not form.is_valid():
        return _next(request, member, status=422)
    verdict = get_object_or_404(examined(member.project), pk=form.cleaned_data["verdict"])
    label(verdict=verdict, person=person(request), found=LABELS[form.cleaned_data["found"]])
    return redirect("blindspot_check", slug)


def _next(request: HttpRequest, member: Member, *, status: int = 200) -> HttpResponse:
    context = {"turn": next_for(member.project, person(request)), "refused": status != 200}
    return project_page(request, member, "blindspots/check.html", context, tab="judging", status=status)


@require_safe
@login_required
def blindspot_checked(request: HttpRequest, slug: str) -> HttpResponse:
    """The verdicts behind a number; ?which= is its name, ?judge= one judge, ?start= where to begin."""
    member = blind_spots_member(request, slug)
    judge_pk, start = whole(request.GET.get("judge", "")), whole(request.GET.get("start", ""))
    judge = Judge.objects.filter(project=member.project, pk=judge_pk).first()
    which = request.GET.get("which", "")
    page = behind(member.project, which=which, judge=judge.pk if judge else 0, start=start)
    context = {"page": page, "judge": judge, "which": which}
    return project_page(request, member, "blindspots/checked.html", context, tab="judging")
