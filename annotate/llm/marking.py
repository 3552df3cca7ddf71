"""What a service says about itself, kept at its endpoint."""

from annotate.models import Endpoint


def mark_simulated(endpoint: Endpoint) -> None:
    """From now on everything of this endpoint is shown as simulated, in pages, API and exports."""
    endpoint.simulated = True
    Endpoint.objects.filter(pk=endpoint.pk, simulated=False).update(simulated=True)
