from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotate.services import rate_limits

tickets = rate_limits.Tickets(rate_limits.MINUTE)


class PerToken(BaseThrottle):
    """So many requests a minute for each token, of the whole installation: a guard against loops of a program that
    went wrong, not a price list."""

    def allow_request(self, request: Request, view: Any) -> bool:
        if not request.auth:
            return True
        return tickets.take(f"api-{request.auth.token.pk}", settings.API_REQUESTS_A_MINUTE)

    def wait(self) -> float:
        return rate_limits.seconds_left(rate_limits.MINUTE)
