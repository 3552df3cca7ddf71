"""What judging writes into the audit trail, in words: see annotate/audit/verbs.py."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

VERBS: Mapping[str, Promise] = {
    "answers.imported": _("answers imported"),
    "author.changed": _("author of answers changed"),
    "judgements.imported": _("judgements imported"),
    "proposals.approved": _("proposals approved"),
    "study.closed": _("study closed"),
    "study.drawn": _("study drawn"),
    "view.deleted": _("shared view deleted"),
    "view.shared": _("view shared"),
}
