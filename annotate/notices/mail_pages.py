"""The page behind the link in every mail that ends mails, without signing in."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotate.models import User
from annotate.notices import mails


@csrf_exempt  # mail programs post here on their own (RFC 8058); the signed link is the permission, and ends mails only
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mails_stop(request: HttpRequest, link: str) -> HttpResponse:
    """Asks first; a POST, by the page's button or by a mail program, ends the mails. The inbox stays as it is."""
    user = mails.who_stops(link)
    if user is None:
        raise Http404
    if request.method == "POST":
        User.objects.filter(pk=user.pk).update(mails=User.Mails.NEVER)
        user.mails = User.Mails.NEVER
    return render(request, "inbox_mails_stop.html", {"stopped": user.mails == User.Mails.NEVER, "address": user.email})
