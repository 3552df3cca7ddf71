"""The steps from a release to a judged leaderboard, on the overview of projects whose items models answer."""

from collections.abc import Sequence

from django.db.models import OuterRef
from django.utils.translation import gettext_lazy as _

from annotate.kinds.contract import Kind
from annotate.project.next_steps import FollowingStep, StepPage
from judging.models import Answer, Verdict

PLAN = _("Plan a run")
ANSWERS_TITLE, JUDGE_TITLE = _("Generate answers"), _("Let a judge judge the answers")


def next_steps() -> Sequence[FollowingStep]:
    of_project = OuterRef("pk")
    return [
        FollowingStep(
            "answers",
            _is_answered,
            Answer.objects.filter(author__project=of_project),
            todo=(
                _("Models answer the accepted items, or you import their answers. Needs an endpoint or a file."),
                StepPage(ANSWERS_TITLE, PLAN, PLAN, "run_new", "?run-purpose=answer"),
            ),
            done=(_("There are answers of models."), StepPage(ANSWERS_TITLE, PLAN, _("Answers"), "answers")),
        ),
        FollowingStep(
            "judge",
            _is_answered,
            Verdict.objects.filter(judge__project=of_project),
            todo=(
                _("A judge scores the answers; the leaderboard is made of its verdicts."),
                StepPage(JUDGE_TITLE, PLAN, PLAN, "run_new", "?run-purpose=judge"),
            ),
            done=(_("There are verdicts."), StepPage(JUDGE_TITLE, PLAN, _("Results"), "results")),
        ),
    ]


def _is_answered(kind: Kind) -> bool:
    return kind.judges_answers
