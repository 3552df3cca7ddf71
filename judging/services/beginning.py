"""What a project has of what makes a leaderboard, before anybody has judged."""

from dataclasses import dataclass

from annotate.models import Project
from judging.models import Answer
from judging.services.cases import judgeable


@dataclass(frozen=True)
class Begun:
    """items: those that can be judged. authors: whoever has answered any of them."""

    items: int
    authors: int


def begun(project: Project) -> Begun:
    items = judgeable(project)
    answers = Answer.objects.filter(item__in=items.values("pk"), known=True)
    return Begun(items.count(), answers.values("author").distinct().count())
