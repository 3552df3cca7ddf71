"""Template tag for the saved views of a page."""

from collections.abc import Sequence
from typing import NamedTuple

from django import template
from django.template import Context

from annotate.models import SavedView
from annotate.saved_views.actions import shown_on

AT_ONCE = 6  # views; the others are folded, so that a person with forty of them still sees the page itself

register = template.Library()


class ShownViews(NamedTuple):
    """The views that are shown at once, and the folded ones; others_open: the present page is one of these."""

    first: Sequence[SavedView]
    others: Sequence[SavedView]
    others_open: bool

    @property
    def total(self) -> int:
        return len(self.first) + len(self.others)


@register.simple_tag(takes_context=True)
def saved_views(context: Context, page: str) -> ShownViews:
    """The member's saved views of the page with this name. One query. Needs membership and request."""
    member, request = context["membership"], context["request"]
    member.user = request.user
    views = shown_on(page, member)
    first, others = views[:AT_ONCE], views[AT_ONCE:]
    return ShownViews(first, others, any(view.query == request.GET.urlencode() for view in others))
