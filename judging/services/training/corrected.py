"""Corrections that a model wrote from a judge's low scores, each beside the answer that it was made of."""

from collections.abc import Iterator, Sequence

from annotate.models import Item, Project
from judging.models import Answer
from judging.services.cases import case_of
from judging.services.training.base import NONE, Chosen, Pair, asked_text

ENDING = "+correction"


def pairs(project: Project, items: Sequence[Item], chosen: Chosen) -> Iterator[Pair]:
    """Of the newest texts. Those of trees are among them too, where their answers have been judged."""
    if chosen.judges == NONE or not project.kind.judges_answers:
        return
    found = Answer.objects.current().filter(item__in=[item.pk for item in items], known=True).exclude(text="")
    corrected = found.filter(author__name__endswith=ENDING).select_related("author").order_by("item", "pk")
    wanted = {one.item_id for one in corrected}
    if not wanted:
        return
    originals = {
        (one.item_id, one.author.name, one.sample): one
        for one in found.filter(item__in=wanted).select_related("author")
    }
    cases = {item.pk: case_of(item) for item in Item.objects.select_related("base", "project").filter(pk__in=wanted)}
    for one in corrected:
        case = cases[one.item_id]
        before = originals.get((one.item_id, one.author.name.removesuffix(ENDING), one.sample))
        if case is None or before is None or before.text == one.text or not before.text.strip():
            continue
        messages = case.judged.messages
        query = asked_text(messages)
        prompt = query if len(messages) == 1 else [dict(each) for each in messages]
        yield Pair(
            query, prompt, one.text, before.text, "correction", case.item.key, "model" if one.job_id else "people"
        )
