"""schemathesis on our own document: whatever is sent, the server does not fail, and answers as documented."""

from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from django.test import override_settings
from hypothesis import HealthCheck, settings
from rest_framework.response import Response
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from annotate.api.document import document
from tests.security.asking import taken_back
from tests.security.world import OURS, World

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@schemathesis.serializer("application/jsonl")
def as_it_is(context: Any, value: Any) -> bytes:
    """The generator makes bytes or texts of the body."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


api = schemathesis.openapi.from_dict(document())
api.app = get_wsgi_application()
# The same requests at every run.
fixed = settings(
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much, HealthCheck.too_slow],
)


@api.parametrize()
@fixed
def test_whatever_is_sent_is_answered_as_documented(world: World, case: Case) -> None:
    """Everything twice: with the ids that were drawn, and with those of real objects of our project."""
    for role in ("lead", "annotator"):
        _ask(world, case, role)
        _place(world, case)
        _ask(world, case, role)


def _place(world: World, case: Case) -> None:
    """Lead the request to something that is there."""
    real = {"slug": OURS, "id": _id(world, case.path), "version": world.ids[OURS]["release"]}
    case.path_parameters = {name: real[name] for name in case.path_parameters}


def _id(world: World, path: str) -> int:
    thing = {"items": "item", "imports": "batch", "runs": "run"}.get(path.split("{slug}/")[-1].split("/")[0], "item")
    return int(world.ids[OURS][thing])


def _ask(world: World, case: Case, role: str) -> None:
    headers = {"Authorization": f"Bearer {world.tokens[role]}", "Accept-Encoding": "identity"}
    with taken_back(), override_settings(API_REQUESTS_A_MINUTE=10**9):
        answer = case.call(headers=headers)
        case.validate_response(answer, checks=CHECKS)


def test_a_fault_would_be_noticed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.api.items.matching", lambda *_: 1 / 0)
    case = api["/api/v1/projects/{slug}/items/"]["GET"].Case(path_parameters={"slug": OURS})
    with pytest.raises(FailureGroup, match="Server error"):
        _ask(world, case, "lead")


def test_an_answer_of_another_shape_would_be_noticed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.api.items.page", lambda rows, following: Response({"results": rows}))
    case = api["/api/v1/projects/{slug}/items/"]["GET"].Case(path_parameters={"slug": OURS})
    with pytest.raises(FailureGroup, match="schema"):
        _ask(world, case, "lead")
