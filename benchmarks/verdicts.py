import json
from collections.abc import Iterator

from benchmarks import engine
from benchmarks.figures import Figure
from benchmarks.places import DATABASES

ABOUT = (
    "The engine's run of 2,000 calls with a judge at work: 2,000 answers judged by a checklist of two questions, a "
    "verdict with its parts for each, beside plain aiohttp requests of one process just before."
)
REPLY = json.dumps(
    {
        "Does it say that Mars has two moons?": {"reason": "It names both of them.", "result": "yes", "weight": 0.6},
        "Does it name Phobos and Deimos?": {"reason": "It names only one.", "result": "no", "weight": 0.4},
    }
)
AUTHORS = 10
TARGETS = {"sqlite": {50: 0.89, 200: 0.80}, "postgres": {50: 0.89, 200: 0.75}}


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        for in_flight, target in TARGETS[database].items():
            yield from engine.measure_run(database, in_flight, target, run=RUN, work=WORK, ready=LOADED, says=REPLY)


RUN = f"""
from judging.models import Answer, Author
from tests.support.judged import CORRECTION, decided_item

project = Project.objects.create(slug="judged", name="Judged", kind_slug="feedback")
items = [decided_item(project, CORRECTION) for _item in range(calls // {AUTHORS})]
authors = [Author.objects.create(project=project, name=f"author {{number}}") for number in range({AUTHORS})]
Answer.objects.bulk_create(
    Answer(item=item, author=author, text="Mars has two moons, " * 30) for item in items for author in authors
)
run = plan.plan_run(
    project=project,
    purpose="judge",
    endpoint=make_endpoint(url, max_in_flight=in_flight),
    by=None,
    options={{"strategy": "checklist"}},
    whole=True,
)
assert run.jobs.count() == calls, run.jobs.count()
actions.start(run, None, ring=False)
result = run.pk, execution.workers_wanted(run.endpoint)
"""
LOADED = """
from annotate.engine import drain
from annotate.runs import plan
run = Run.objects.get(pk=pk)
plan.purpose_of(run).load(run, list(run.jobs.all()[:1]), plan.prompts_of(run))
"""
WORK = """
import resource
from annotate.runs import execution
from judging.models import Part, Verdict

run = Run.objects.get()
execution.work(run)
assert Verdict.objects.read().count() * 2 == Part.objects.count() > 0
result = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
"""
