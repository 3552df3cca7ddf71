from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotate.models import Member
from annotate.views.access import person


@login_required
def home(request: HttpRequest) -> HttpResponse:
    memberships = Member.objects.of(person(request)).select_related("project")
    return render(request, "home.html", {"memberships": memberships})
