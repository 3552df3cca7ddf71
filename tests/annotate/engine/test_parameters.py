"""What may be sent beside a question, at an endpoint and in a run."""

import pytest

from annotate.engine import endpoints
from annotate.engine.endpoints import BadEndpoint
from annotate.engine.pages import in_words
from annotate.errors import Refused
from annotate.models import Endpoint
from tests.support.endpoints import make_endpoint

pytestmark = pytest.mark.django_db


def test_an_extra_body_holds_only_names_that_an_administrator_allows() -> None:
    endpoint = make_endpoint()
    with pytest.raises(BadEndpoint) as bad:
        endpoints.change(endpoint, by=None, extra_body={"top_k": 5})
    assert "top_k" in bad.value.errors["extra_body"][0]
    endpoint.refresh_from_db()
    endpoints.change(endpoint, by=None, extra_allowed=["top_k"], extra_body={"top_k": 5})
    assert endpoints.check_parameters({"extra_body": {"top_k": 3}, "temperature": 0.5}, endpoint) == {
        "extra_body": {"top_k": 3},
        "temperature": 0.5,
    }
    with pytest.raises(Refused, match="min_p"):
        endpoints.check_parameters({"extra_body": {"min_p": 0.1}}, endpoint)


@pytest.mark.parametrize("name", ["model", "n", "stream", "tools", "messages", "service_tier", "max_tokens", "best_of"])
def test_what_changes_the_price_or_the_answer_is_never_allowed(name: str) -> None:
    with pytest.raises(BadEndpoint) as bad:
        endpoints.change(make_endpoint(), by=None, extra_allowed=[name])
    assert name in bad.value.errors["extra_allowed"][0]
    # Written past the service, it still does not pass.
    endpoint = Endpoint(extra_allowed=[name])
    with pytest.raises(Refused):
        endpoints.check_parameters({"extra_body": {name: 2}}, endpoint)


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"temperature": 3}, "temperature"),
        ({"top_p": -1}, "top_p"),
        ({"seed": "x"}, "seed"),
        ({"reasoning_effort": "huge"}, "reasoning_effort"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"stop": ["."]}, "stop"),
        ({"extra_body": []}, "extra_body"),
    ],
)
def test_a_parameter_out_of_range_is_named(values: dict[str, object], place: str) -> None:
    with pytest.raises(Refused, match=place):
        endpoints.check_parameters(values, make_endpoint())


def test_what_was_learned_is_said_in_words() -> None:
    endpoint = Endpoint(
        capabilities={
            "reply_format": "text",
            "length_parameter": "",
            "system_role": "user",
            "omitted": ["temperature"],
            "ignores_cap": True,
        }
    )
    assert len(in_words(endpoint)) == 5
    assert in_words(Endpoint()) == []
