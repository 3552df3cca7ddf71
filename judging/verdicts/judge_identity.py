"""The identity of a judge: everything that its verdicts depend on, as one value with a short hash.

Two runs belong to one judge only if their identities are equal. The service decides in which format replies are really
asked for, so that part is added when the first verdict of a run is stored.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotate.engine.wire import parameters_of
from annotate.models import Call, Job, Project, PromptVersion, Run
from judging.models import Judge, JudgeRun, fingerprint
from judging.readers.scales import Scale
from judging.verdicts.judge_options import JudgeRunOptions, settled
from judging.verdicts.subjects import sample_of

FORMAT = "response_format"  # known once a reply of the run was read
SIMULATED = "simulated"  # instead of an address: that of the built-in service changes with its port


def identity_of(run: Run, options: JudgeRunOptions) -> dict[str, Any]:
    """The identity of the judge of a run, apart from the format of replies. Values that are not set are left out.

    model, service: of the endpoint. parameters: temperature and the like, of run and endpoint together. strategy, and
    options: its own, where they differ from its defaults. reference: `own`, or the author of a sample's references.
    prompts, texts: `scope.step.language` -> SHA-256; raw messages hold their reader. guidelines: their version.
    definition: of a project whose own questions it answers, the number of its version and the hash of all.
    """
    endpoint = run.endpoint
    identity = {
        "model": endpoint.model,
        "service": SIMULATED if endpoint.simulated else endpoint.base_url,
        "parameters": parameters_of(endpoint, run.parameters),
        "strategy": options.strategy.slug,
        "options": options.own.model_dump(mode="json", exclude_defaults=True) | settled(options),
        "reference": _reference(run, options),
        "prompts": _hashes(run.prompts.all()),
        "texts": _hashes(run.texts.all()),
        "guidelines": run.guideline.version if run.guideline else None,
        "definition": _definition(run) if options.strategy.asks_questions else None,
    }
    return {name: value for name, value in identity.items() if value not in (None, "", {})}


def _reference(run: Run, options: JudgeRunOptions) -> str:
    """Runs about a sample ask one model with several references; other runs have the one of their project."""
    if options.given.own_reference:
        return "own"
    return options.given.reference if sample_of(run) is not None else ""


def _definition(run: Run) -> dict[str, Any]:
    return {"version": run.project.kind.schema, "sha256": run.project.definition_digest}


def _hashes(versions: Iterable[PromptVersion]) -> dict[str, str]:
    return {f"{version.scope}.{version.step}.{version.language}": version.sha256 for version in versions}


# Judges of which only name, strategy and variant are known, because their verdicts come from files.

JudgeKey = tuple[str, str, str]  # name, strategy, variant


def judges_from_files(project: Project, keys: Collection[JudgeKey]) -> dict[JudgeKey, Judge]:
    """The judges of these names; missing ones are created. A run's judge of this name is another version."""
    by_fingerprint = {fingerprint(key): key for key in sorted(keys)}
    stored = Judge.objects.filter(project=project, fingerprint__in=by_fingerprint)
    judges = {by_fingerprint[judge.fingerprint]: judge for judge in stored}
    missing = [key for key in by_fingerprint.values() if key not in judges]
    if not missing:
        return judges
    versions = _versions(project, missing)
    new_judges = [judge_from_file(project, *key, version=versions.get(key, 0) + 1) for key in missing]
    Judge.objects.bulk_create(new_judges, ignore_conflicts=True)  # another import may create the same ones now
    return judges | judges_from_files(project, missing)


def _versions(project: Project, keys: Collection[JudgeKey]) -> dict[JudgeKey, int]:
    """key -> the highest version of that name."""
    judges = Judge.objects.filter(project=project, name__in={name for name, _strategy, _variant in keys}).order_by()
    rows = judges.values_list("name", "strategy", "variant").annotate(highest=Max("version"))
    return {(name, strategy, variant): highest for name, strategy, variant, highest in rows}


def judge_from_file(project: Project | None, name: str, strategy: str, variant: str = "", **columns: Any) -> Judge:
    """The unsaved judge."""
    scale = Scale.in_variant(variant)
    return Judge(
        project=project,
        name=name,
        strategy=strategy,
        variant=variant,
        fingerprint=fingerprint([name, strategy, variant]),
        scale_low=scale.low if scale else None,
        scale_top=scale.top if scale else None,
        **columns,
    )


def judge_in_manifest(entry: Mapping[str, Any], pk: int | None = None) -> Judge:
    """The judge of a released file, unsaved. Raises KeyError if the entry is not one of a judge."""
    names = entry["name"], entry["strategy"], entry["variant"]
    return judge_from_file(None, *names, pk=pk, version=entry.get("version", 1), simulated=bool(entry["simulated"]))


# The judge of a run.


def assign_judge(run: Run, options: JudgeRunOptions, variant: str) -> None:
    """Give a run that is being planned the newest judge that is asked in this way, or a new version.

    A judge with any reply of a simulated model counts as simulated.
    """
    with transaction.atomic():
        identity = identity_of(run, options)
        judges = Judge.objects.filter(project=run.project, name=run.endpoint.model).select_for_update().order_by("pk")
        same = [judge for judge in judges if _without_format(judge.identity) == identity]
        judge = same[-1] if same else _new_version(run, identity, variant, options.strategy.scale_of(options.own))
        JudgeRun.objects.create(run=run, judge=judge)
    mark_simulated(run, judge.pk)


def judge_at_storing(run: Run, jobs: Collection[Job]) -> int:
    """The judge to whom verdicts of these jobs of a run belong. No query once the run's format of replies is known.

    Raises JudgeRun.DoesNotExist if the run was planned without a judge.
    """
    if not run.judge_run.format_known:
        run.judge_run = _with_known_format(run, jobs)
    mark_simulated(run, run.judge_run.judge_id)
    return run.judge_run.judge_id


def _with_known_format(run: Run, jobs: Collection[Job]) -> JudgeRun:
    """As another process has left it, or settled now; unchanged if these jobs have no call that says how they asked."""
    stored = JudgeRun.objects.get(pk=run.pk)
    reply_format = "" if stored.format_known else _format_of(jobs)
    return _settle(run, reply_format) if reply_format else stored


def _settle(run: Run, reply_format: str) -> JudgeRun:
    """Add the format to the identity of the run's judge, or move the run to the judge that has this one."""
    with transaction.atomic():
        locked = JudgeRun.objects.select_for_update(of=("self", "judge")).select_related("judge")
        judge_run = locked.get(pk=run.judge_run.pk)
        if judge_run.format_known:
            return judge_run
        planned = judge_run.judge
        if planned.identity.get(FORMAT) != reply_format:
            judge_run.judge = _with_format(run, planned, reply_format)
        judge_run.format_known = True
        judge_run.save()
        if judge_run.judge != planned and not planned.verdicts.exists() and not planned.judge_runs.exists():
            planned.delete()
    return judge_run


def _with_format(run: Run, planned: Judge, reply_format: str) -> Judge:
    """A judge whose format is not known yet is completed, unless there is such a judge already."""
    identity = _without_format(planned.identity) | {FORMAT: reply_format}
    judge = Judge.objects.filter(project=planned.project_id, fingerprint=fingerprint(identity)).first()
    if judge is not None:
        return judge
    if FORMAT in planned.identity:
        return _new_version(run, identity, planned.variant, Scale.of(planned))
    planned.identity, planned.fingerprint = identity, fingerprint(identity)
    planned.save(update_fields=["identity", "fingerprint"])
    return planned


def _format_of(jobs: Collection[Job]) -> str:
    """The format in which the newest reply to these jobs was asked for; "" if none of them has a call that says so."""
    calls = Call.objects.filter(job__in=jobs, cause="", sent__isnull=False).order_by("-pk")
    sent = calls.values_list("sent", flat=True).first()
    return "" if sent is None else sent.get("response_format", "text")


def _new_version(run: Run, identity: Mapping[str, Any], variant: str, scale: Scale | None) -> Judge:
    key = (run.endpoint.model, str(identity["strategy"]), variant)
    return Judge.objects.create(
        project=run.project,
        name=key[0],
        strategy=key[1],
        variant=variant,
        version=_versions(run.project, [key]).get(key, 0) + 1,
        identity=identity,
        fingerprint=fingerprint(identity),
        simulated=run.endpoint.simulated,
        scale_low=scale.low if scale else None,
        scale_top=scale.top if scale else None,
    )


def _without_format(identity: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in identity.items() if name != FORMAT}


def mark_simulated(run: Run, judge: int) -> None:
    """Mark the judge if its endpoint is simulated: a service may reveal this long after the judge was created."""
    if run.endpoint.simulated:
        Judge.objects.filter(pk=judge, simulated=False).update(simulated=True)
