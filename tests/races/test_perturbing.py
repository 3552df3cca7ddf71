"""Runs over the same prompts at once: each prompt gets one perturbation of a category, whoever is faster."""

import pytest

from tests.races.racers import Run, race
from tests.support.installation import Installation

pytestmark = pytest.mark.slow
PLANNED = """
from annotate.models import Endpoint, Job, Run
from annotate.engine.purposes import purposes
from tests.support.people import make_item
from tests.support.runs import make_run

source = Project.objects.create(slug="prompts", name="Prompts", kind_slug="prompt")
target = Project.objects.create(slug="worse", name="Worse", kind_slug="perturbation")
gold = "The canal is 82 kilometres long."
for number in range(prompts):
    item = make_item(source, facts={"prompt": f"{number}: How long is the canal?", "gold_answer": gold})
    draft = {"ability": "factual", "gold_verdict": "right", "edited_answer": "", "note": ""}
    base = Annotation.objects.create(item=item, draft=draft, rater="import")
    Item.objects.filter(pk=item.pk).update(state="accepted", base=base)
result = []
options = {"into": "worse", "categories": ["number-errors"], "again": again}
for number in range(runs):
    user = User.objects.create_user(f"p{number}")
    for project in (source, target):
        Member.objects.create(project=project, user=user, role="lead" if project == target else "viewer")
    run = make_run(source, purpose="perturb", options=options)
    planned = list(purposes()["perturb"].plan(run))
    Job.objects.bulk_create(Job(run=run, subject=one.subject, item_id=one.item_id) for one in planned)
    result.append([user.username, run.pk, len(planned)])
Member.objects.filter(project=source).delete()
"""
MADE = """
made = Item.objects.filter(project__slug="worse")
result = {
    "kept": list(made.exclude(state="dropped").values_list("parent", flat=True)),
    "withdrawn": made.filter(state="dropped").count(),
    "drafts": Annotation.objects.filter(item__in=made).count(),
    "open": Slot.objects.filter(item__in=made, state="open").count(),
}
"""


def raced(installation: Installation, *, again: bool) -> list[list[int]]:
    runs = installation.python(PLANNED, prompts=12, runs=4, again=again)
    assert [planned for _name, _run, planned in runs] == [12] * 4, "they do not compete"
    received = race(installation, [Run(name, "make_worse", {"run": run}) for name, run, _planned in runs])
    assert len(received) == 48
    return runs


def test_of_runs_at_once_each_prompt_gets_one_item(installation: Installation) -> None:
    raced(installation, again=False)
    made = installation.python(MADE)
    assert len(set(made["kept"])) == len(made["kept"]) == 12
    assert (made["withdrawn"], made["drafts"], made["open"]) == (0, 12, 12)


def test_of_runs_that_make_it_again_one_stays_in_the_queue(installation: Installation) -> None:
    raced(installation, again=True)
    made = installation.python(MADE)
    assert len(set(made["kept"])) == len(made["kept"]) == 12
    assert (made["withdrawn"], made["drafts"], made["open"]) == (36, 48, 12)
