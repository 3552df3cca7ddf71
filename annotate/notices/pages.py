from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from annotate import rights
from annotate.models import Delivery, Member, Notification, Project, User, Webhook
from annotate.notices import mails, webhooks
from annotate.notices.deliveries import WAITS
from annotate.notices.targets import TO_DO, roles_of, target
from annotate.web.access import LEADS, listed_or_made, membership, person, project_page
from annotate.web.pager import numbered_page, row_named, row_page

PAGE = 50


class InboxFilterForm(forms.Form):
    """Which notifications are listed; what cannot be read filters nothing."""

    show = forms.ChoiceField(
        label=gettext_lazy("Show"),
        required=False,
        choices=[("", gettext_lazy("all")), ("unread", gettext_lazy("unread")), ("to_do", gettext_lazy("to do"))],
        widget=forms.Select(attrs={"class": "select"}),
    )
    project = forms.SlugField(
        label=gettext_lazy("Project"), required=False, widget=forms.Select(attrs={"class": "select"})
    )

    def __init__(self, data: QueryDict, user: User) -> None:
        super().__init__(data, auto_id="inbox-%s")
        mine = Project.objects.filter(pk__in=Notification.objects.filter(user=user).values("project"))
        choices = [("", _("all")), *mine.order_by("name").values_list("slug", "name")]
        self.fields["project"].widget.choices = choices
        self.full_clean()

    def select(self, notifications: QuerySet[Notification]) -> QuerySet[Notification]:
        show, project = self.cleaned_data.get("show"), self.cleaned_data.get("project")
        if show:
            notifications = notifications.filter(read_at=None)
        if show == "to_do":
            notifications = notifications.filter(verb__in=[*TO_DO, Notification.Verb.ASKED])
        return notifications.filter(project__slug=project) if project else notifications

    @property
    def address(self) -> str:
        return urlencode([(name, value) for name, value in self.cleaned_data.items() if value])


@dataclass(frozen=True)
class InboxGroup:
    """Notifications that follow each other and say the same about several items; or a single one.

    lines: each with the address that it leads to.
    """

    lines: Sequence[tuple[Notification, str]]

    @property
    def first(self) -> Notification:
        return self.lines[0][0]

    @property
    def unread(self) -> list[int]:
        return [line.pk for line, _address in self.lines if line.read_at is None]


def _groups(lines: Sequence[tuple[Notification, str]]) -> list[InboxGroup]:
    """Lines with a note are read one by one."""

    def alike(entry: tuple[Notification, str]) -> tuple[object, ...]:
        line = entry[0]
        alone = line.pk if line.note or line.item_id is None else None
        return alone, line.project_id, line.verb, line.actor_id

    return [InboxGroup(list(entries)) for _key, entries in groupby(lines, key=alike)]


@login_required
def inbox(request: HttpRequest) -> HttpResponse:
    """What happened to a person's items, newest first; ?before=<id> goes back in time."""
    before, form = row_named(request, "before"), InboxFilterForm(request.GET, person(request))
    notifications = Notification.objects.filter(user=person(request)).select_related("project", "item", "actor")
    if before is not None:
        notifications = notifications.filter(pk__lt=before)
    page, roles = row_page(form.select(notifications).defer("item__facts"), PAGE), roles_of(person(request))
    lines = [(line, target(line, roles)) for line in page.rows]
    rest = f"&{form.address}" if form.address else ""
    context = {
        "groups": _groups(lines),
        "filters": form,
        "older": f"?before={page.next.pk}{rest}" if page.next else "",
        "newer": f"{reverse('inbox')}?{form.address}" if request.GET.get("before") else "",
        "unread": any(line.read_at is None for line in page.rows),
    }
    return render(request, "inbox.html", context)


@require_POST
@login_required
def inbox_read(request: HttpRequest) -> HttpResponse:
    """Mark one line as read and go to its target, or several lines, or all of them."""
    unread = Notification.objects.filter(user=person(request), read_at=None)
    if several := [int(pk) for pk in request.POST.getlist("several")[:PAGE] if pk.isdecimal() and len(pk) <= 18]:
        unread.filter(pk__in=several).update(read_at=timezone.now())
        return redirect("inbox")
    line_id = request.POST.get("one", "")
    if not line_id.isdecimal() or len(line_id) > 18:
        unread.update(read_at=timezone.now())
        return redirect("inbox")
    line = Notification.objects.filter(user=person(request), pk=int(line_id)).select_related("project", "item").first()
    unread.filter(pk=int(line_id)).update(read_at=timezone.now())
    address = target(line, roles_of(person(request))) if line else ""
    return redirect(address or "inbox")


PER_PAGE = 50
WEBHOOKS_PER_PAGE = 100


class WebhookForm(forms.Form):
    """An address and the events that it is told."""

    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=300,
        help_text=gettext_lazy("Such as https://hooks.example.org/touchstone; the administrator must allow its host."),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Notify when"),
        choices=list(webhooks.EVENTS.items()),
        initial=list(webhooks.EVENTS),
        widget=forms.CheckboxSelectMultiple,
    )


@never_cache
@login_required
def webhook_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's webhooks; the secret of a new one is shown here once."""
    lead = membership(request, slug, LEADS)
    make = partial(webhooks.make, project=lead.project, by=person(request))
    return listed_or_made(request, WebhookForm, make=make, page=partial(_list, request, lead), blamed="url")


def _list(
    request: HttpRequest, lead: Member, form: WebhookForm, *, made: Webhook | None = None, status: int = 200
) -> HttpResponse:
    members = rights.members_by_user(lead.project_id)
    page = numbered_page(request, lead.project.webhooks.select_related("created_by"), WEBHOOKS_PER_PAGE)
    context = {
        "page": page,
        "webhooks": [(webhook, rights.lapse(webhook, members)) for webhook in page],
        "form": form,
        "made": made,
        "origins": sorted(webhooks.allowed_origins()),
    }
    return project_page(request, lead, "webhooks/webhooks.html", context, tab="webhooks", status=status)


@login_required
def webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The webhook's messages and their delivery status."""
    lead = membership(request, slug, LEADS)
    stored_webhook = get_object_or_404(lead.project.webhooks.select_related("created_by"), pk=pk)
    page = numbered_page(request, stored_webhook.deliveries.all(), PER_PAGE)
    lapse = rights.lapse(stored_webhook, rights.members_by_user(lead.project_id))
    context = {"webhook": stored_webhook, "page": page, "attempts": len(WAITS) + 1, "lapse": lapse}
    return project_page(request, lead, "webhooks/webhook.html", context, tab="webhooks")


@require_POST
@login_required
def webhook_test(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    stored_webhook = _webhook(request, slug, pk)
    if rights.giver(stored_webhook) is None:
        messages.warning(request, _("This webhook is no longer valid. Take it over to send."))
    elif stored_webhook.active:
        webhooks.ping(stored_webhook)
        messages.success(request, _("A test message is being sent. Reload this page in a moment."))
    else:
        messages.warning(request, _("This webhook is off. Turn it on to send."))
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
        return project_page(request, lead, "webhooks/remove.html", {"webhook": stored_webhook}, tab="webhooks")
    webhooks.remove(stored_webhook)
    messages.success(request, _("No more messages are sent to %(url)s.") % {"url": stored_webhook.url})
    return redirect("webhooks", slug)


@require_POST
@login_required
def delivery_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    delivery = Delivery.objects.filter(webhook__project_id=lead.project_id, pk=pk).first()
    if delivery is None:
        raise Http404
    webhooks.again(delivery)
    messages.success(request, _("The message is being sent again."))
    return redirect("webhook", slug, delivery.webhook_id)


def _webhook(request: HttpRequest, slug: str, pk: int) -> Webhook:
    lead = membership(request, slug, LEADS)
    stored_webhook: Webhook = get_object_or_404(lead.project.webhooks, pk=pk)
    stored_webhook.project = lead.project
    return stored_webhook


# The page behind the link in every mail that ends mails, without signing in.


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
