from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle


class PerToken(SimpleRateThrottle):
    """So many requests a minute for each token. Each web process counts for itself: a guard against loops of a
    program that went wrong, not a price list."""

    scope = "token"

    def get_rate(self) -> str:
        return f"{settings.API_REQUESTS_A_MINUTE}/min"

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        return f"api-throttle-{request.auth.token.pk}" if request.auth else None
