"""Template tag for the saved views of a page."""

from collections.abc import Sequence

from django import template
from django.template import Context

from annotate.models import SavedView
from annotate.saved_views.actions import shown_on

register = template.Library()


@register.simple_tag(takes_context=True)
def saved_views(context: Context, page: str) -> Sequence[SavedView]:
    """The member's saved views of the page with this name. One query. Needs membership and request."""
    member = context["membership"]
    member.user = context["request"].user
    return shown_on(page, member)
