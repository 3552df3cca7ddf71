"""Saved views of a dashboard."""

from collections.abc import Sequence

from django import template
from django.template import Context

from judging.models import SavedView
from judging.services.saved_views import shown_on

register = template.Library()


@register.simple_tag(takes_context=True)
def saved_views(context: Context, page: str) -> Sequence[SavedView]:
    """Those of this member on the page of that name. One query. Needs membership and request."""
    member = context["membership"]
    member.user = context["request"].user
    return shown_on(page, member)
