"""Where a notification leads, for the inbox and for mails."""

from django.urls import reverse

from annotate.models import Member, Notification, User
from annotate.web.access import LEADS

QUESTIONS = (Notification.Verb.ASKED, Notification.Verb.RULED)
TO_DO = (Notification.Verb.RETURNED, Notification.Verb.ASSIGNED)
ABOUT_PEOPLE = (Notification.Verb.PAUSED, Notification.Verb.RESUMED, Notification.Verb.CALIBRATE)


def roles_of(user: User) -> dict[int, Member]:
    """The person's memberships by the id of the project."""
    return {member.project_id: member for member in Member.objects.of(user)}


def target(line: Notification, roles: dict[int, Member]) -> str:
    """The path of the page that the line is about; "" for somebody who has left the project."""
    member, slug = roles.get(line.project_id), line.project.slug
    if member is None:
        return ""
    if line.verb in TO_DO and member.annotates:
        return reverse("work", args=[slug])
    if line.verb == Notification.Verb.DISPUTED and member.reviews:
        return reverse("disputes", args=[slug])
    if line.verb == Notification.Verb.DECIDED and member.annotates:
        return reverse("my_corrections", args=[slug])
    if line.verb in ABOUT_PEOPLE:
        return reverse("readiness" if member.leads else "work", args=[slug])
    if line.run_id is not None and member.role in LEADS:
        return reverse("run", args=[slug, line.run_id])
    if line.verb in QUESTIONS:
        query = f"show=all&item={line.item_id}" if line.item_id else "show=all"
        return f"{reverse('precedents', args=[slug])}?{query}"
    if line.item_id is not None:
        return reverse("item", args=[slug, line.item_id])
    return reverse("overview", args=[slug])
