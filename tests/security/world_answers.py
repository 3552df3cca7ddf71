"""Answers of the world: two authors, one of them with an older version, another sample and a text nobody knows."""

from collections.abc import Callable
from typing import Any

from annotate.models import Item, Project
from judging.models import Answer, Author

Say = Callable[[str], str]


def answers(project: Project, say: Say) -> dict[str, Any]:
    """ids of an author and an answer of theirs to an accepted item."""
    item = Item.objects.filter(project=project, state="accepted").order_by("pk")[0]
    columns = {"family": say("family")[:80], "provider": say("provider")[:80]}
    author = Author.objects.create(project=project, name=say("author name")[:120], **columns)
    other = Author.objects.create(project=project, name="Another author", sort="person")
    job = project.runs.order_by("pk")[0].jobs.order_by("pk")[0]
    source = {"source": say("file name")[:255], "note": say("note about an answer")}
    Answer.objects.create(item=item, author=author, text=say("older answer"), **source)
    answer = Answer.objects.create(item=item, author=author, version=2, text=say("answer"), **source)
    Answer.objects.create(item=item, author=author, sample=2, text=say("another answer"), job=job, simulated=True)
    Answer.objects.create(item=item, author=other, text="", known=False)
    return {"author": author.pk, "answer": answer.pk}
