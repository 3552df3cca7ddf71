"""What annotate calls in judging without knowing it: see `hooks` in annotate/engine/discovery.py."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from judging.answers.personal_data import KEEPER
from judging.answers.personal_data import WORDS as RECORD_WORDS
from judging.studies.waves import SOURCE as WORK_SOURCE

AUDIT_VERBS: Mapping[str, Promise] = {
    "answers.imported": _("answers imported"),
    "author.changed": _("author of answers changed"),
    "judgements.imported": _("judgements imported"),
    "proposals.approved": _("proposals approved"),
    "study.closed": _("study closed"),
    "study.drawn": _("study drawn"),
}


def _door_pages() -> Sequence[Any]:
    from judging.boards.navigation import door_pages  # a worker that needs another hook starts without the boards

    return door_pages()


def _saved_view_pages() -> Sequence[str]:
    from judging.boards.board import boards

    return [board.slug for board in boards().values() if board.saves_views]


def _next_steps() -> Sequence[Any]:
    from judging.answers.steps import next_steps  # once the tables are known

    return next_steps()


DOOR_PAGES = _door_pages
NEXT_STEPS = _next_steps
SAVED_VIEW_PAGES = _saved_view_pages
__all__ = ["AUDIT_VERBS", "DOOR_PAGES", "KEEPER", "NEXT_STEPS", "RECORD_WORDS", "SAVED_VIEW_PAGES", "WORK_SOURCE"]
