"""Every judge gets its identity. Where runs of one judge were asked in different wordings, each wording gets a judge.

The identity is read by the code of today, because only a strategy knows the defaults of its options; a database without
runs, such as a new one, never gets there. A run that does not name its judge has not been planned to the end.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Max

# Runs from before these options existed were asked in this way, and did not say so.
MEANT_BEFORE = {"texts": "task-specific", "sharing": "apart"}
SCALED = re.compile(r"\bscale=(\d{1,2})-(\d{1,2})(?!\S)")
FORMAT = "response_format"


def give_identities(apps: StateApps, _editor: BaseDatabaseSchemaEditor) -> None:
    runs_by_judge = _runs_by_judge(apps)
    for judge in apps.get_model("judging", "Judge").objects.order_by("pk").iterator():
        if match := SCALED.search(judge.variant):
            judge.scale_low, judge.scale_top = map(int, match.groups())
        _divide(apps, judge, runs_by_judge.get((judge.project_id, judge.pk), []))


def _runs_by_judge(apps: StateApps) -> dict[tuple[int, int], list[Any]]:
    """(project, judge) -> its runs, the oldest first."""
    runs: dict[tuple[int, int], list[Any]] = {}
    planned = apps.get_model("annotate", "Run").objects.filter(purpose="judge", options__has_key="judge")
    for run in planned.select_related("endpoint", "guideline").order_by("pk"):
        runs.setdefault((run.project_id, run.options["judge"]), []).append(run)
    return runs


def _divide(apps: StateApps, judge: Any, runs: Iterable[Any]) -> None:
    """The row stays what it was with its files, or else with its oldest wording; every other wording gets a new row."""
    wordings: dict[str, list[Any]] = {}
    for run in runs:
        wordings.setdefault(json.dumps(_identity(apps, run), sort_keys=True), []).append(run)
    verdicts = apps.get_model("judging", "Verdict").objects.filter(judge_id=judge.pk)
    if not wordings or verdicts.filter(job=None).exists():
        judge.identity, judge.fingerprint = {}, _fingerprint([judge.name, judge.strategy, judge.variant])
        judge.save()
        kept = None
    else:
        kept = next(iter(wordings))
    for wording, wording_runs in wordings.items():
        row = judge if wording == kept else _copy(apps, judge)
        row.identity, row.fingerprint = _unused(apps, row, json.loads(wording))
        row.save()
        _move(apps, wording_runs, row)


def _copy(apps: StateApps, judge: Any) -> Any:
    """The next version of it, not saved yet."""
    judges = apps.get_model("judging", "Judge").objects
    names = {name: getattr(judge, name) for name in ("project_id", "name", "strategy", "variant")}
    columns = {name: getattr(judge, name) for name in ("scale_low", "scale_top", "simulated", "created_at")}
    highest = judges.filter(**names).aggregate(highest=Max("version"))["highest"]
    return apps.get_model("judging", "Judge")(**names, **columns, version=highest + 1)


def _unused(apps: StateApps, row: Any, identity: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The identity and its hash; two judges of one identity, which only their variant told apart, keep that."""
    others = apps.get_model("judging", "Judge").objects.filter(project_id=row.project_id).exclude(pk=row.pk)
    if others.filter(fingerprint=_fingerprint(identity)).exists():
        identity = identity | {"variant": row.variant, "version": row.version}
    return identity, _fingerprint(identity)


def _move(apps: StateApps, runs: Iterable[Any], row: Any) -> None:
    verdicts = apps.get_model("judging", "Verdict").objects
    judge_runs = apps.get_model("judging", "JudgeRun").objects
    for run in runs:
        verdicts.filter(job__run_id=run.pk).exclude(judge_id=row.pk).update(judge_id=row.pk)
        judge_runs.create(run_id=run.pk, judge_id=row.pk, format_known=FORMAT in row.identity)
        run.options.pop("judge")
        run.save(update_fields=["options"])


def _identity(apps: StateApps, run: Any) -> dict[str, Any]:
    """As judging.verdicts.judge_identity gives it. Options that can no longer be read are kept as they were."""
    from annotate.errors import Refused
    from judging.strategies.strategy import strategies
    from judging.verdicts.judge_identity import identity_of
    from judging.verdicts.judge_options import read_options

    strategy = strategies().get(str(run.options.get("strategy", "")))
    if strategy is not None:
        known = {name: value for name, value in MEANT_BEFORE.items() if name in strategy.options.model_fields}
        run.options = known | run.options
    try:
        identity = identity_of(run, read_options(run.options))
    except (Refused, ValueError):  # also of pydantic; a strategy that has been removed
        asked = {name: value for name, value in run.options.items() if name != "judge"}
        identity = {"model": run.endpoint.model, "strategy": asked.pop("strategy", ""), "options": asked}
    return identity | _format(apps, run)


def _format(apps: StateApps, run: Any) -> dict[str, str]:
    """The format in which the newest reply was asked for; {} if no call of the run says so."""
    calls = apps.get_model("annotate", "Call").objects.filter(job__run_id=run.pk, cause="", sent__isnull=False)
    sent = calls.order_by("-pk").values_list("sent", flat=True).first()
    return {} if sent is None else {FORMAT: sent.get(FORMAT, "text")}


def _fingerprint(identity: Any) -> str:
    text = json.dumps(identity, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def name_judges_in_options(apps: StateApps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Versions of one judge become one again: the oldest row of each name."""
    judges, verdicts = apps.get_model("judging", "Judge").objects, apps.get_model("judging", "Verdict").objects
    first: dict[tuple[Any, ...], int] = {}
    for judge in judges.order_by("version"):
        pk = first.setdefault((judge.project_id, judge.name, judge.strategy, judge.variant), judge.pk)
        for judge_run in judge.judge_runs.select_related("run"):
            judge_run.run.options["judge"] = pk
            judge_run.run.save(update_fields=["options"])
        if pk != judge.pk:
            verdicts.filter(judge_id=judge.pk).update(judge_id=pk)
            judge.delete()


class Migration(migrations.Migration):
    dependencies = [("judging", "0008_identities_of_judges")]

    operations = [migrations.RunPython(give_identities, name_judges_in_options)]
