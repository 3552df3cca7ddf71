"""A purpose of a run that is as small as can be: a few questions an item, and an annotation of what came back."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from annotate.engine.purposes import Case, JobPlan, Purpose
from annotate.kinds.protocol import Ask, Question
from annotate.models import Annotation, Endpoint, Item, Job, Project, Run, User
from annotate.runs.plan import plan_run


class Word(BaseModel):
    word: str
    number: int


class Words(Purpose):
    """Options: steps, how many questions an item asks; one after the other, the text of each in its step."""

    slug = "words"
    name = "Words"
    about = "A word about every item."

    def steps(self, run: Run) -> list[str]:
        return []

    def plan(self, run: Run) -> Iterator[JobPlan]:
        for pk in run.project.items.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=1000):
            yield JobPlan(f"item/{pk}", pk)

    def calls_expected(self, run: Run) -> float:
        return float(run.options.get("steps", 1))

    async def work(self, case: Case, ask: Ask) -> list[str]:
        words = []
        for number in range(case.options.get("steps", 1)):
            words.append((await ask(self.question(case, number))).read.word)
        return words

    def question(self, case: Case, number: int) -> Question:
        text = f"{case.job.subject} step {number}"
        return Question(f"step/{number}", [{"role": "user", "content": text}], Word)

    def store(self, case: Case, outcome: Any) -> None:
        draft = {"words": outcome}
        if not Annotation.objects.filter(item=case.item, run_id=case.job.run_id, draft=draft).exists():
            Annotation.objects.create(item=case.item, run_id=case.job.run_id, model="moon-1", draft=draft)


def make_endpoint(base_url: str, **columns: Any) -> Endpoint:
    columns = {"name": f"endpoint-{Endpoint.objects.count()}", "model": "moon-1", "simulated": True} | columns
    return Endpoint.objects.create(base_url=base_url, **columns)


def make_items(project: Project, count: int) -> None:
    facts = {"user_query": "How many moons has Mars?"}
    there = project.items.count()
    Item.objects.bulk_create(
        (
            Item(project=project, key=f"k{number}", title="k", facts=facts, content_hash=f"k{number}")
            for number in range(there, there + count)
        ),
        batch_size=500,
    )


def planned(endpoint: Endpoint, *, items: int, project: Project | None = None, **asked: Any) -> Run:
    """A planned run of `words` over new items."""
    if project is None:
        slug = f"words-{Project.objects.count()}"
        project = Project.objects.create(slug=slug, name=slug, kind_slug="feedback")
    make_items(project, items)
    by: User | None = asked.pop("by", None)
    asked.setdefault("whole", True)
    return plan_run(project=project, purpose=asked.pop("purpose", "words"), endpoint=endpoint, by=by, **asked)


def states(run: Run) -> dict[str, int]:
    """How many jobs are in each state that has any."""
    found: dict[str, int] = {}
    for state in Job.objects.filter(run=run).values_list("state", flat=True):
        found[state] = found.get(state, 0) + 1
    return found
