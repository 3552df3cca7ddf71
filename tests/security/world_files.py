"""What went in and out as files: an import to be confirmed, one that is done with a refused row, two releases."""

import json
from collections.abc import Callable
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotate.chores import make_release, run_batch
from annotate.intake import chat_logs, previews
from annotate.intake.row_reader import Settings
from annotate.models import AlikePair, AlikeSearch, Batch, Project, Release, User
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters

Say = Callable[[str], str]


def imports(project: Project, lead: User, say: Say, draft: dict[str, Any]) -> dict[str, int]:
    done = _uploaded(project, lead, say, draft, key="from a file")
    previews.confirm(done)
    run_batch.work(done.pk)
    waiting = _uploaded(project, lead, say, draft, key="in a file").pk
    return {"batch": done.pk, "preview": waiting, "log": _log(project, lead, say).pk}


def _log(project: Project, lead: User, say: Say) -> Batch:
    """An uploaded chat log, with an address in it that becomes a placeholder."""
    said = (say("asked in a log") + " me@corp.de", say("answered in a log"), say("objected in a log"), "Sorry.")
    turns = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(said)]
    content = json.dumps({"timestamp": timezone.now().isoformat(), "messages": turns}) + "\nno conversation\n"
    file = SimpleUploadedFile(say("log name")[:200] + ".jsonl", content.encode())
    chosen = chat_logs.settings_of(chat_logs.choose(project, "error_correction"))
    return previews.upload(project=project, file=file, settings=chosen, by=lead)


def alike(project: Project, lead: User) -> dict[str, int]:
    """A pair that nobody has decided about, found by a search that somebody asked for."""
    first, second = project.items.filter(state="ready").order_by("pk")[:2]
    AlikeSearch.objects.create(
        project=project, threshold=0.7, asked_by=lead, finished_at=timezone.now(), items=2, pairs=1
    )
    pair = AlikePair.objects.create(project=project, first=first, second=second, likeness=0.9)
    return {"pair": pair.pk}


def _uploaded(project: Project, lead: User, say: Say, draft: dict[str, Any], *, key: str) -> Batch:
    facts = {
        "bench_type": "Error Correction",
        "user_query": say("imported question") + key,
        "origin_first_response": say("imported answer"),
    }
    rows = [{"key": f"{project.slug} {key}", **facts, **draft}, {"key": say("rejected key"), say("unknown field"): 1}]
    content = "\n".join(json.dumps(row) for row in rows)
    file = SimpleUploadedFile(say("file name")[:200] + ".jsonl", content.encode())
    return previews.upload(project=project, file=file, settings=Settings(format="jsonl"), by=lead)


def releases(project: Project, lead: User, say: Say) -> dict[str, int]:
    """Two that can be compared; the ids are versions, other ones in each project."""
    first = 1 if project.slug == "ours" else 7
    for version, state in ((first, "accepted"), (first + 1, "any")):
        planned = actions.plan(
            project=project,
            filters=ReleaseFilters(state=state),
            by=lead,
            note=say("release note")[:200],
            licence=say("licence")[:80],
        )
        Release.objects.filter(pk=planned.pk).update(version=version)
        make_release.work(planned.pk)
    return {"release": first}
