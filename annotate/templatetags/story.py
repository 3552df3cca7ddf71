"""Filters that put an item's history into words."""

from collections.abc import Mapping
from datetime import datetime

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext_lazy as _

from annotate.hidden_checks import SeenEvent
from annotate.items.history import name_of
from annotate.kinds.shapes import Finding
from annotate.models import Annotation

register = template.Library()

VERBS = {
    "imported": _("imported it"),
    "reported": _("reported it in the survey"),
    "suggested": _("made a suggestion"),
    "ready": _("put it into the queue"),
    "submitted": _("submitted it"),
    "accepted": _("accepted it"),
    "returned": _("returned it"),
    "reviewed": _("reviewed it"),
    "disputed": _("sent it to adjudication: people disagree"),
    "revised": _("changed the text, so others review it"),
    "rechecked": _("put it into review again"),
    "withdrawn": _("took the submission back"),
    "reconsidered": _("took the decision back"),
    "recalled": _("took the decision back"),
    "unsettled": _("took the decision back"),
    "reclaimed": _("took the decision back"),
    "expired": _("ended the expired lease of"),
    "dropped": _("dropped it"),
    "restored": _("restored it"),
    "reinstated": _("restored it as accepted"),
    "reopened": _("reopened it"),
    "marked": _("set its purpose"),
    "reclosed": _("took back the reopening"),
    "requeued": _("put it back into the queue"),
    "assigned": _("assigned it to"),
    "unassigned": _("unassigned it"),
    "priority": _("set the priority to"),
    "released": _("ended the lease of"),
    "updated": _("updated it from a file"),
    "made": _("had a model generate it"),
}
TAKES_ITS_NOTE = ("assigned", "priority", "released", "expired")

# outcome of an annotation -> the state (look, icon, word) in which it is shown
OUTCOMES = {
    "annotated": ("ok", "check", _("Submitted")),
    "unsuitable": ("caution", "flag", _("Marked unusable")),
    "accepted": ("agree", "check", _("Accepted unchanged")),
    "fixed": ("overridden", "pen", _("Fixed and accepted")),
    "returned": ("caution", "undo", _("Returned")),
    "dropped": ("incomplete", "minus", _("Dropped")),
    "revised": ("overridden", "pen", _("Changed the text")),
}
UNFINISHED = ("incomplete", "partial", _("Draft"))
SUGGESTED = ("incomplete", "machine", _("Suggestion"))
IMPORTED = ("neutral", "upload", _("Imported"))


@register.filter
def verb(event: SeenEvent) -> str:
    """The action, as the end of a sentence that begins with the person's name."""
    return str(VERBS.get(event.verb, event.verb))


@register.filter
def ends_with_note(event: SeenEvent) -> bool:
    """Whether the note ends the sentence, such as the name after “assigned it to”."""
    return event.verb in TAKES_ITS_NOTE


@register.filter
def outcome(annotation: Annotation) -> tuple[str, str, str | Promise]:
    """look, icon and word for the outcome of an annotation."""
    if annotation.by_machine:
        return SUGGESTED
    if annotation.submitted_at is None:
        return UNFINISHED
    return OUTCOMES.get(annotation.outcome, IMPORTED)


@register.filter
def whose(annotation: Annotation) -> str:
    return name_of(annotation)


@register.filter
def prefixed(name: str, pk: int) -> str:
    """An element's id for a field of one annotation, on a page with several annotations."""
    return f"a{pk}-{name}"


@register.filter
def step_id(name: str, number: int) -> str:
    """An element's id for one step of a field."""
    return f"step-{name}-{number}"


@register.filter
def field_label(finding: Finding, labels: Mapping[str, str]) -> str:
    """The form's label for the field of a finding."""
    return str(labels.get(finding.field, finding.path))


@register.filter
def ago(moment: datetime) -> SafeString:
    """How long ago, with the date as its title; for places too narrow for both."""
    local = timezone.localtime(moment)
    date = date_format(local, "DATETIME_FORMAT")
    iso = local.isoformat(timespec="seconds")
    return format_html('<time datetime="{}" title="{}">{}</time>', iso, date, naturaltime(moment))


@register.filter
def age(since: datetime) -> str:
    """How long ago, in one unit: `3 days`."""
    return timesince(since, depth=1)
