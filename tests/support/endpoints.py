"""Endpoints for tests, with keys that are easy to look for."""

from typing import Any

from annotate.models import Endpoint

KEY_NAME, KEY = "TEST_MODEL_KEY", "the-key-of-a-model-that-nobody-may-ever-read-0123456789"


def make_endpoint(name: str = "small", **columns: Any) -> Endpoint:
    given = {"base_url": "http://127.0.0.1:9/v1", "model": "model-s", "attempts": 1, "deadline": 5} | columns
    return Endpoint.objects.create(name=name, **given)
