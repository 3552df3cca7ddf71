"""Everything that is recorded about oneself, in words and as a file. Nobody sees it of anybody else."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from annotate.models import Member
from annotate.services.recorded import as_file, recorded_about
from annotate.views.access import person


@never_cache
@login_required
def my_record(request: HttpRequest) -> HttpResponse:
    user = person(request)
    lines = recorded_about(user)
    context = {
        "lines": [line for line in lines if line.count],
        "none": [line for line in lines if not line.count],
        "members": Member.objects.of(user).select_related("project").order_by("project__name"),
    }
    return render(request, "recorded/mine.html", context)


@never_cache
@login_required
def my_record_json(request: HttpRequest) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(as_file(person(request)), content_type="application/json; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="recorded-about-me.json"'
    return answer
