from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from annotate.models import Notification


def shell(request: HttpRequest) -> dict[str, Any]:
    """What every page's frame needs: the appearance, and how much is unread (asked only if shown)."""
    user: Any = getattr(request, "user", AnonymousUser())
    signed_in = user.is_authenticated
    theme = user.theme if signed_in else request.COOKIES.get("theme", "auto")
    return {
        "theme": theme if theme in ("light", "dark") else "auto",
        "mail_configured": settings.MAIL_CONFIGURED,
        "unread_count": SimpleLazyObject(
            lambda: Notification.objects.filter(user=user, read_at=None).count() if signed_in else 0
        ),
    }
