"""Template tag for the saved views of a dashboard."""

from collections.abc import Sequence

from django import template
from django.template import Context

from judging.boards.saved_views import shown_on
from judging.models import SavedView

register = template.Library()


@register.simple_tag(takes_context=True)
def saved_views(context: Context, page: str) -> Sequence[SavedView]:
    """The member's saved views of the page with this name. One query. Needs membership and request."""
    member = context["membership"]
    member.user = context["request"].user
    return shown_on(page, member)
