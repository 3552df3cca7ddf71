"""Judges of an installation from before their identities: one wording keeps its row, every other one gets its own."""

import pytest

from tests.support.installations import Installations

pytestmark = pytest.mark.slow

SEED = """
from datetime import UTC, datetime
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

MigrationExecutor(connection).migrate([("judging", "0007_unknown_texts")])
loader = MigrationExecutor(connection).loader
# The other tables are those of today.
apps = loader.project_state([("judging", "0007_unknown_texts"), *loader.graph.leaf_nodes("annotate")]).apps
table = lambda app, name: apps.get_model(app, name).objects
project = table("annotate", "Project").create(slug="old", name="Old", kind_slug="feedback")
endpoint = table("annotate", "Endpoint").create(name="e", base_url="https://one.example/v1", model="m")
item = table("annotate", "Item").create(project=project, key="a", facts={}, schema=1)
author = table("judging", "Author").create(project=project, name="A")
answer = table("judging", "Answer").create(item=item, author=author, text="x")

def judge(strategy, variant=""):
    return table("judging", "Judge").create(project=project, name="m", strategy=strategy, variant=variant)

def wording(step, sha):
    return table("annotate", "PromptVersion").create(
        project=project, scope="s", step=step, language="en", number=sha, text=str(sha), sha256=f"{sha:064d}")

def run(judge, strategy, *wordings, sent=None, **options):
    made = table("annotate", "Run").create(project=project, purpose="judge", endpoint=endpoint, state="finished",
                                           options={"strategy": strategy, "judge": judge.pk} | options)
    made.prompts.set(wordings)
    job = table("annotate", "Job").create(run=made, subject=f"answer/{answer.pk}", item=item, state="done")
    table("annotate", "Call").create(job=job, step="judge/1", attempt=1, digest="d", request={}, cause="", sent=sent)
    table("judging", "Verdict").create(judge=judge, job=job, item=item, case_sha="", first=answer, score_first=1.0)
    return made

one, two = wording("verdicts", 1), wording("verdicts", 2)
mixed, plain, filed = judge("checklist"), judge("axis", "scale=1-10 texts=generic"), judge("vanilla", "scale=1-5")
schema = {"response_format": "json_schema"}
run(mixed, "checklist", one, sent=schema), run(mixed, "checklist", two, sent=schema)
run(mixed, "checklist", one, sent=schema)
run(plain, "axis", sent=None, texts="generic")
run(filed, "vanilla", one, sent={})
table("judging", "Verdict").create(judge=filed, item=item, case_sha="", first=answer, score_first=3.0, source="f")
gone = judge("removed")
run(gone, "no-such-strategy", one)
older = judge("axis-rubric", "scale=1-3")
run(older, "axis-rubric", one)
result = [mixed.pk, plain.pk, filed.pk, gone.pk, older.pk]
"""
FORWARD = """
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
executor = MigrationExecutor(connection)
executor.migrate(executor.loader.graph.leaf_nodes())
from judging.models import Judge, JudgeRun, Verdict
from annotate.models import Run
result = {
    "judges": [[j.pk, j.strategy, j.version, j.scale_low, j.scale_top, j.identity.get("response_format"),
                sorted(j.identity.get("prompts", {}).values()), j.verdicts.count(), len(j.fingerprint)]
               for j in Judge.objects.order_by("strategy", "variant", "version")],
    "same": all(v.judge_id == v.job.run.judge_run.judge_id for v in Verdict.objects.exclude(job=None)),
    "runs": [JudgeRun.objects.count(), sum("judge" in run.options for run in Run.objects.all())],
    "older": Run.objects.get(options__strategy="axis-rubric").options,
}
"""
BACKWARD = """
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
MigrationExecutor(connection).migrate([("judging", "0007_unknown_texts")])
loader = MigrationExecutor(connection).loader
# The other tables are those of today.
apps = loader.project_state([("judging", "0007_unknown_texts"), *loader.graph.leaf_nodes("annotate")]).apps
judges, runs = apps.get_model("judging", "Judge").objects, apps.get_model("annotate", "Run").objects
result = [sorted(judges.values_list("strategy", flat=True)),
          all(judges.filter(pk=run.options["judge"]).exists() for run in runs.all())]
"""


def test_mixed_wordings_become_judges_of_their_own(installations: Installations, database: str) -> None:
    with installations.migrated(database) as installation:
        mixed, plain, filed, gone, older = installation.python(SEED)
        found = installation.python(FORWARD)
        judges = {(strategy, version): rest for _pk, strategy, version, *rest in found["judges"]}
        first, second = f"{1:064d}", f"{2:064d}"
        assert judges["checklist", 1] == [None, None, "json_schema", [first], 2, 12]
        assert judges["checklist", 2] == [None, None, "json_schema", [second], 1, 12]
        assert judges["axis", 1] == [1, 10, None, [], 1, 12]
        assert judges["vanilla", 1] == [1, 5, None, [], 1, 12]  # what the file said keeps the row
        assert judges["vanilla", 2] == [1, 5, "text", [first], 1, 12]
        assert judges["removed", 1] == [None, None, None, [], 1, 12]  # nobody knows any more how it was asked
        kept = {pk for pk, *_rest in found["judges"]}
        assert {mixed, plain, filed, gone, older} <= kept
        assert (found["same"], found["runs"]) == (True, [7, 0])
        assert found["older"]["texts"] == "task-specific"  # as it was asked, though its options did not say so
        strategies, named = installation.python(BACKWARD)
        assert strategies == ["axis", "axis-rubric", "checklist", "removed", "vanilla"]
        assert named
        again = installation.python(FORWARD)
        assert [row[1:] for row in again["judges"]] == [row[1:] for row in found["judges"]]
