from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from annotate.services.my_work import my_work
from annotate.views.access import person


@never_cache
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """My work: every project one is in, and the next step in it."""
    return render(request, "home.html", {"shares": my_work(person(request))})
