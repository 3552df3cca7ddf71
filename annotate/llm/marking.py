"""What a service says about itself, kept at its endpoint."""

from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from annotate.llm.capabilities import Capabilities
from annotate.models import Endpoint

MOST_REFUSALS = 20  # that are kept: a service has a handful of things that it does not take


def mark_simulated(endpoint: Endpoint) -> None:
    """From now on everything of this endpoint is shown as simulated, in pages, API and exports."""
    endpoint.simulated = True
    Endpoint.objects.filter(pk=endpoint.pk, simulated=False).update(simulated=True)


def keep_learned(endpoint: Endpoint, learned: Capabilities, refusal: str = "") -> Capabilities:
    """Store what the service takes, with its words when it refused; what is known now, also from other workers."""
    with transaction.atomic():
        stored = Endpoint.objects.select_for_update(no_key=True).only("capabilities", "refusals").get(pk=endpoint.pk)
        old_capabilities = Capabilities.stored(stored.capabilities)
        if not endpoint.strict_json:  # then it was asked in words because it is set so, not because it refused
            learned = replace(learned, reply_format=old_capabilities.reply_format)
        new_capabilities = old_capabilities.joined(learned)
        refusals = list(stored.refusals)
        if refusal and new_capabilities.lessons != old_capabilities.lessons:
            refusals.append({"message": refusal, "at": timezone.now().isoformat()})
        if new_capabilities != old_capabilities:
            columns = {"capabilities": new_capabilities.as_json(), "refusals": refusals[-MOST_REFUSALS:]}
            Endpoint.objects.filter(pk=endpoint.pk).update(**columns)
    return new_capabilities
