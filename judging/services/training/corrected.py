"""Corrections that a model wrote from a judge's low scores, each beside the answer that it was made of."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from annotate.models import Call, Item, Job, Project
from judging.models import Answer
from judging.services.cases import case_of
from judging.services.training.base import NONE, PEOPLE, Chosen, Example, Pair, asked_text
from judging.services.training.steps import About
from judging.services.training.wording import Wordings, in_use
from lib.texts.fencing import LENGTH, blocks

ENDING = "+correction"
MODEL = "model"
STEP = "correction"
BOUNDARY = re.compile(rf"<data-([0-9a-f]{{{LENGTH}}})")


def examples(project: Project, items: Sequence[Item], chosen: Chosen) -> Iterator[Example]:
    """Of the newest texts. Those of trees are among them too, where their answers have been judged."""
    if chosen.judges == NONE or not project.kind.judges_answers:
        return
    found = Answer.objects.current().filter(item__in=[item.pk for item in items], known=True).exclude(text="")
    corrected = list(found.filter(author__name__endswith=ENDING).select_related("author").order_by("item", "pk"))
    wanted = {one.item_id for one in corrected}
    if not wanted:
        return
    before = {
        (one.item_id, one.author.name, one.sample): one
        for one in found.filter(item__in=wanted).select_related("author")
    }
    cases = {item.pk: case_of(item) for item in Item.objects.select_related("base", "project").filter(pk__in=wanted)}
    jobs = {one.job_id for one in corrected if one.job_id}
    asked, wordings = _asked(jobs), _wordings(project, jobs)
    for one in corrected:
        case = cases[one.item_id]
        original = before.get((one.item_id, one.author.name.removesuffix(ENDING), one.sample))
        if case is None or original is None or original.text == one.text or not original.text.strip():
            continue
        messages, source = case.judged.messages, MODEL if one.job_id else PEOPLE
        query = asked_text(messages)
        given = asked.get(one.job_id or 0, {})
        if given.get("answer") == original.text and given.get("judgements"):
            about = About(messages, case.item.key, case.language, wordings[one.job_id or 0], source)
            yield about.correction(original.text, given["judgements"], one.text)
        prompt = query if len(messages) == 1 else [dict(each) for each in messages]
        yield Pair(query, prompt, one.text, original.text, "correction", case.item.key, source)


def _asked(jobs: Collection[int]) -> Mapping[int, Mapping[str, str]]:
    """job -> slot -> text of what its model was given; of the last request whose reply could be read."""
    found = Call.objects.filter(job__in=jobs, step=STEP, cause="").order_by("attempt") if jobs else Call.objects.none()
    return {job: blocks_in(request) for job, request in found.values_list("job", "request")}


def _wordings(project: Project, jobs: Collection[int]) -> Mapping[int, Wordings]:
    """job -> the wordings of its run."""
    found = list(Job.objects.filter(pk__in=jobs).select_related("run"))
    by_run = {run.pk: in_use(project).of_correcting(run) for run in {job.run for job in found}}
    return {job.pk: by_run[job.run_id] for job in found}


def blocks_in(request: Mapping[str, Any]) -> dict[str, str]:
    """name -> text of the blocks of a stored request; none where it has no fence."""
    whole = "\n".join(str(each.get("content", "")) for each in request.get("messages", ()))
    boundary = BOUNDARY.search(whole)  # the rule names it before any block
    return blocks(whole, boundary[1]) if boundary else {}
