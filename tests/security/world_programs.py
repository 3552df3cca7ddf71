"""Tokens of everybody's programs, and a webhook that has been told something."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotate.models import ApiToken, Delivery, Member, Webhook
from annotate.people import tokens

Say = Callable[[str], str]


def tokens_of(members: Mapping[str, Member], say: Say) -> dict[str, str]:
    """name -> secret of a token that this member has made, in their own role."""
    made = {
        name: tokens.make(by=member, name=say(f"token name of {name}")[:80], role=member.role)
        for name, member in members.items()
    }
    # Their use is not due to be noted while tests look at what reading writes.
    used = ApiToken.objects.filter(pk__in=[one.token.pk for one in made.values()])
    used.update(used_at=timezone.now() + timedelta(days=1))
    return {name: one.secret for name, one in made.items()}


def webhook(lead: Member, say: Say) -> dict[str, Any]:
    made = Webhook.objects.create(
        project=lead.project,
        url=("https://hooks.invalid/" + say("webhook address"))[:300],
        secret=f"whsec_of_{lead.project.slug}_that_nobody_reads_again",
        events=["item.accepted"],
        created_by=lead.user,
    )
    told = Delivery.objects.create(
        webhook=made, event="ping", body={"id": "1"}, attempts=8, due_at=None, status=500, detail=say("answer of it")
    )
    return {"webhook": made.pk, "delivery": told.pk, "token id": lead.project.tokens.earliest("pk").pk}
