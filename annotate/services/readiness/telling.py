"""Who hears of what: leads and the person concerned, each in their own language."""

from collections.abc import Callable

from django.conf import settings
from django.utils.translation import override

from annotate.models import Member, Project, User
from annotate.services.notifying import notify

Words = Callable[[], str]


def said_to(user: User, words: Words) -> str:
    with override(user.language or settings.LANGUAGE_CODE):
        return words()


def tell(user: User, project: Project, verb: str, words: Words, *, by: User | None) -> None:
    notify(user, None, verb, by=by, note=said_to(user, words), project=project)


def tell_leads(project: Project, verb: str, words: Words) -> None:
    leads = Member.objects.filter(project=project, user__is_active=True).who_can(Member.Role.LEAD)
    for lead in leads.select_related("user").order_by("pk"):
        tell(lead.user, project, verb, words, by=None)
