"""Models: only the simulated one is asked, for asking any other costs money."""

from django.db import DatabaseError

from annotate.models import Endpoint
from annotate.services.doctor.findings import Finding, note, ok

NAME = "simulated model"
REMEDY = (
    "`make run` starts it. By hand: `manage.py simulated_model`, with the port of the address in --port. "
    "Where nobody needs it, retire the endpoint."
)


def simulated_model() -> Finding:
    """Whether it answers, where an endpoint leads to it."""
    from annotate.llm import client

    try:
        endpoint = Endpoint.objects.filter(simulated=True, retired_at=None).order_by("pk").first()
    except DatabaseError:
        return note(NAME, "the database cannot be asked", "See “database” and “migrations”.")
    if endpoint is None:
        return ok(NAME, "no endpoint leads to it")
    endpoint.deadline = min(endpoint.deadline, 5)
    probe = client.probe(endpoint)
    if probe.ok:
        return ok(NAME, f"answers at {endpoint.base_url}")
    return note(NAME, f"{endpoint.base_url}: {probe.detail}", REMEDY)
