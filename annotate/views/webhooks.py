from functools import partial

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.models import Delivery, Member, Webhook
from annotate.services import rights, webhooks
from annotate.services.webhooks.queue import WAITS
from annotate.views.access import LEADS, membership, person
from annotate.views.making import listed_or_made
from annotate.views.pages import project_page

PER_PAGE = 50


class WebhookForm(forms.Form):
    """An address and what it is told."""

    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=300,
        help_text=gettext_lazy("Such as https://hooks.example.org/touchstone; the administrator allows its host."),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Tell it when"),
        choices=list(webhooks.EVENTS.items()),
        initial=list(webhooks.EVENTS),
        widget=forms.CheckboxSelectMultiple,
    )


@never_cache
@login_required
def webhook_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Who is told; the secret of a new one is shown here, this once."""
    lead = membership(request, slug, LEADS)
    make = partial(webhooks.make, project=lead.project, by=person(request))
    return listed_or_made(request, WebhookForm, make=make, page=partial(_list, request, lead), blamed="url")


def _list(
    request: HttpRequest, lead: Member, form: WebhookForm, *, made: Webhook | None = None, status: int = 200
) -> HttpResponse:
    members = rights.members_by_user(lead.project_id)
    stored = lead.project.webhooks.select_related("created_by")
    context = {
        "webhooks": [(webhook, rights.lapse(webhook, members)) for webhook in stored],
        "form": form,
        "made": made,
        "origins": sorted(webhooks.allowed_origins()),
    }
    return project_page(request, lead, "webhooks/webhooks.html", context, tab="settings", status=status)


@login_required
def webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What was sent, and what became of it."""
    lead = membership(request, slug, LEADS)
    stored_webhook = get_object_or_404(lead.project.webhooks.select_related("created_by"), pk=pk)
    page = Paginator(stored_webhook.deliveries.all(), PER_PAGE).get_page(request.GET.get("page"))
    lapse = rights.lapse(stored_webhook, rights.members_by_user(lead.project_id))
    context = {"webhook": stored_webhook, "page": page, "attempts": len(WAITS) + 1, "lapse": lapse}
    return project_page(request, lead, "webhooks/webhook.html", context, tab="settings")


@require_POST
@login_required
def webhook_test(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    stored_webhook = _webhook(request, slug, pk)
    if rights.giver(stored_webhook) is None:
        messages.warning(request, _("It is no longer valid; take it over to send."))
    elif stored_webhook.active:
        webhooks.ping(stored_webhook)
        messages.success(request, _("A test message is on its way. Load this page again in a moment."))
    else:
        messages.warning(request, _("It is switched off; switch it on to send."))
    return redirect("webhook", slug, pk)


@require_POST
@login_required
def webhook_switch(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    webhooks.switch(_webhook(request, slug, pk), on=request.POST.get("on") == "1", by=person(request))
    return redirect("webhook", slug, pk)


@login_required
def webhook_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    stored_webhook = get_object_or_404(lead.project.webhooks, pk=pk)
    if request.method != "POST":
        return project_page(request, lead, "webhooks/remove.html", {"webhook": stored_webhook}, tab="settings")
    stored_webhook.delete()
    messages.success(request, _("Nothing is sent to %(url)s any more.") % {"url": stored_webhook.url})
    return redirect("webhooks", slug)


@require_POST
@login_required
def delivery_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    delivery = Delivery.objects.filter(webhook__project_id=lead.project_id, pk=pk).first()
    if delivery is None:
        raise Http404
    webhooks.again(delivery)
    messages.success(request, _("The message is sent once more."))
    return redirect("webhook", slug, delivery.webhook_id)


def _webhook(request: HttpRequest, slug: str, pk: int) -> Webhook:
    lead = membership(request, slug, LEADS)
    stored_webhook: Webhook = get_object_or_404(lead.project.webhooks, pk=pk)
    stored_webhook.project = lead.project
    return stored_webhook
