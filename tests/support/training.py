"""Accepted trees, and what a judge said of their responses with its calls, made as rows."""

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from annotate.engine.prompt_files import shipped
from annotate.models import Annotation, Call, Endpoint, Item, Job, Project, Run
from judging.answers.cases import case_of
from judging.models import Verdict
from judging.strategies.branches.strategies import messages_of
from judging.strategies.strategy import ShownCase
from tests.support.judge_rows import make_judge
from tests.support.judged import answer_of
from tests.support.people import make_project
from tests.support.trees import DRAFT, PAIR, replies


def tree_project(**columns: Any) -> Project:
    return make_project(**{"kind_slug": "branching"} | columns)


def accepted_tree(
    project: Project, key: str, facts: Mapping[str, Any] = PAIR, draft: Mapping[str, Any] = DRAFT, **columns: Any
) -> Item:
    item = Item.objects.create(
        **{"project": project, "key": key, "title": key, "facts": facts, "content_hash": key, "state": "accepted"}
        | {"language": "en"}
        | columns
    )
    item.base = Annotation.objects.create(item=item, model="drafter", draft=deepcopy(draft))
    item.save(update_fields=["base"])
    return item


def an_endpoint() -> Endpoint:
    columns = {"base_url": "http://127.0.0.1:1/v1", "model": "judge-x"}
    return Endpoint.objects.get_or_create(name="judge-x", defaults=columns)[0]


def judged_tree(
    item: Item, choices: tuple[str, str] = ("second", "second"), criteria: int = 2, variant: str = ""
) -> Job:
    """A run of the strategy `branching` about the two responses: what was chosen straight and swapped."""
    case = case_of(item)
    assert case is not None
    run = Run.objects.create(project=item.project, purpose="judge", endpoint=an_endpoint(), state="finished")
    job = Job.objects.create(run=run, subject=f"pair/{item.pk}", item=item, state="done")
    judge = make_judge(item.project, "judge-x", "branching", variant)
    first, second = (
        answer_of(item, item.facts[f"author_{side}"], text=item.facts[side]) for side in ("first", "second")
    )
    for choice, swapped in zip(choices, (False, True), strict=True):
        Verdict.objects.create(
            judge=judge,
            job=job,
            item=item,
            case_sha=case.judged.sha256,
            first=first,
            second=second,
            swapped=swapped,
            choice=choice,
            score_first=4,
            score_second=10,
        )
        _calls(job, "judge/1/swapped" if swapped else "judge/1", criteria)
    return job


def _calls(job: Job, at: str, criteria: int) -> None:
    said = replies(criteria)
    for step, reply in said.items():
        name = step.replace("comparison", "pair")
        if name.split("/")[0] in ("criteria", "guideline", "pair"):
            told = {"messages": _asked(job, name, criteria, swapped="swapped" in at)}
            Call.objects.create(
                job=job, step=f"{at}/{name}", attempt=1, digest="d", request=told, cause="", reply=json.dumps(reply)
            )


def _asked(job: Job, step: str, criteria: int, *, swapped: bool) -> list[dict[str, str]]:
    """As a judge is asked, by the item's own criterion of that place where the judge goes by those, else by its own."""
    case, prompt, place = case_of(job.item) if job.item else None, step.split("/")[0], step.rpartition("/")[2]
    assert case is not None
    assert job.item is not None
    texts = {"count": str(criteria)}
    if place.isdecimal():
        said = replies(criteria)
        one, levels = said["criteria"]["criteria"][int(place) - 1], said[f"guideline/{place}"].values()
        guideline = "\n".join(f"{score}: {words}" for score, words in enumerate(levels, start=1))
        texts |= {"criterion": f"{one['name']}\n{one['description']}", "guideline": guideline}
    answers = [job.item.facts["first"], job.item.facts["second"]]
    first, second = reversed(answers) if swapped else answers
    shown = ShownCase(case.judged, first, second, language=case.language)
    return messages_of(shipped("branches")[prompt, "en"].text, shown, texts)
