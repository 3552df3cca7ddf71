"""The way through a project, for the frame of its pages."""

from django import template
from django.template import Context

from annotate.doors.table import Way, address_for
from annotate.doors.tour import Tour
from annotate.doors.waiting import shown

register = template.Library()
register.filter("count_shown", shown)


@register.simple_tag(takes_context=True)
def way_through(context: Context) -> Way:
    """Needs request and membership; tab says which page is open."""
    return Way(context["membership"], context.get("tab") or "", context["request"].path)


@register.simple_tag(takes_context=True)
def tour_of(context: Context) -> Tour | None:
    """The tour of the person's role in the project of the page; None outside of projects."""
    return Tour(context["membership"]) if context.get("membership") else None


@register.simple_tag(takes_context=True)
def led_to(context: Context, name: str) -> str:
    """The address of a page behind a door of the project; empty where the reader is not led to it."""
    return address_for(context["membership"], name)
