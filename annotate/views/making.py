"""Pages that list what there is and make one more, whose secret is shown once: tokens, webhooks."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse

from annotate.services.errors import Refused


def listed_or_made(
    request: HttpRequest,
    form_class: type[forms.Form],
    *,
    make: Callable[..., Any],
    page: Callable[..., HttpResponse],
    blamed: str,
) -> HttpResponse:
    """The page with an empty form; after a POST what was made, or the form with its faults (422).

    make: takes what the form was filled in with, gives what the page shows as `made`; what it refuses is told beside
    the field `blamed`. page: takes a form, and made or status.
    """
    if request.method != "POST":
        return page(form_class())
    form = form_class(request.POST)
    if form.is_valid():
        try:
            return page(form_class(), made=make(**form.cleaned_data))
        except Refused as refused:
            form.add_error(blamed, str(refused))
    return page(form, status=422)
