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


def examples(project: Project, items: Sequence[Item], selection: Chosen) -> Iterator[Example]:
    """Of the newest texts. Those of trees are among them too, where their answers have been judged."""
    if selection.judges == NONE or not project.kind.judges_answers:
        return
    answers = Answer.objects.current().filter(item__in=[item.pk for item in items], known=True).exclude(text="")
    corrected = list(answers.filter(author__name__endswith=ENDING).select_related("author").order_by("item", "pk"))
    item_ids = {answer.item_id for answer in corrected}
    if not item_ids:
        return
    originals = {
        (answer.item_id, answer.author.name, answer.sample): answer
        for answer in answers.filter(item__in=item_ids).select_related("author")
    }
    cases = {item.pk: case_of(item) for item in Item.objects.select_related("base", "project").filter(pk__in=item_ids)}
    jobs = {answer.job_id for answer in corrected if answer.job_id}
    blocks_by_job, wordings = _asked(jobs), _wordings(project, jobs)
    for correction in corrected:
        case = cases[correction.item_id]
        original = originals.get((correction.item_id, correction.author.name.removesuffix(ENDING), correction.sample))
        if case is None or original is None or original.text == correction.text or not original.text.strip():
            continue
        messages, source = case.judged.messages, MODEL if correction.job_id else PEOPLE
        query = asked_text(messages)
        request_blocks = blocks_by_job.get(correction.job_id or 0, {})
        if request_blocks.get("answer") == original.text and request_blocks.get("judgements"):
            about = About(messages, case.item.key, case.language, wordings[correction.job_id or 0], source)
            yield about.correction(original.text, request_blocks["judgements"], correction.text)
        prompt = query if len(messages) == 1 else [dict(message) for message in messages]
        yield Pair(query, prompt, correction.text, original.text, "correction", case.item.key, source)


def _asked(jobs: Collection[int]) -> Mapping[int, Mapping[str, str]]:
    """job -> slot -> text of what its model was given; of the last request whose reply could be read."""
    calls = Call.objects.filter(job__in=jobs, step=STEP, cause="").order_by("attempt") if jobs else Call.objects.none()
    return {job: blocks_in(request) for job, request in calls.values_list("job", "request")}


def _wordings(project: Project, jobs: Collection[int]) -> Mapping[int, Wordings]:
    """job -> the wordings of its run."""
    job_rows = list(Job.objects.filter(pk__in=jobs).select_related("run"))
    by_run = {run.pk: in_use(project).of_correcting(run) for run in {job.run for job in job_rows}}
    return {job.pk: by_run[job.run_id] for job in job_rows}


def blocks_in(request: Mapping[str, Any]) -> dict[str, str]:
    """name -> text of the blocks of a stored request; none where it has no fence."""
    whole = "\n".join(str(message.get("content", "")) for message in request.get("messages", ()))
    boundary = BOUNDARY.search(whole)  # the rule names it before any block
    return blocks(whole, boundary[1]) if boundary else {}
