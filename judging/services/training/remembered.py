"""Counts of training data, kept as long as nothing has changed that its rows are made of."""

from hashlib import sha256
from typing import Any

from django.db.models import Count, Max

from annotate.models import Annotation, Erasure, Item, Project
from judging.models import Answer, Study, Verdict
from judging.services.remembering import remembered
from judging.services.training.base import Chosen
from judging.services.training.counting import counted


def counts_of(project: Project, selection: Chosen) -> dict[str, Any]:
    """As Counts.as_json: made once for each state of the project and each choice."""
    state = [project.pk, project.options, _state(project), selection.filters.as_json(), selection.judges]
    word = sha256(repr(state).encode("utf-8", "surrogatepass")).hexdigest()
    return remembered("training", word, lambda: counted(project, selection).as_json())


def _state(project: Project) -> list[Any]:
    """Of the project and of those in which people vote on its answers."""
    projects = [project.pk, *Study.objects.filter(source=project).values_list("project", flat=True)]
    items = Item.objects.filter(project__in=projects)
    return [
        items.aggregate(newest=Max("changed_at"), last=Max("pk"), n=Count("pk")),
        Annotation.objects.filter(item__project__in=projects).aggregate(
            newest=Max("submitted_at"), saved=Max("saved_at"), last=Max("pk"), n=Count("pk")
        ),
        Erasure.objects.filter(item__project__in=projects).count(),
        Answer.objects.filter(author__project=project).aggregate(last=Max("pk"), n=Count("pk")),
        Verdict.objects.filter(judge__project=project).aggregate(last=Max("pk"), n=Count("pk")),
    ]
