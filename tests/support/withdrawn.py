"""Reported cases about which everything has been written that can be, every text holding the same odd word.

`search` looks through every column of every table that can hold text, and every file below the data folder, so that no
table is forgotten.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import models
from django.utils import timezone

from annotate.chores import make_release
from annotate.items import flow, queue
from annotate.models import (
    Annotation,
    Call,
    Classification,
    Comment,
    Dispute,
    Endpoint,
    Item,
    Job,
    Notification,
    Participant,
    Precedent,
    PrecedentEvent,
    Project,
    Release,
    Run,
    SetAside,
    Skip,
    Slot,
    Withdrawal,
)
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
from judging.models import Answer, Author, Ballot, Judge, Part, Verdict
from tests.support.people import make_member
from tests.support.use_cases import DRAFT

WORD = "zyxtal"  # stands in every case of tests/support/surveys.py
TEXTUAL = (models.CharField, models.TextField, models.JSONField)


def search(word: str = WORD) -> list[str]:
    """`table.column` of every text that holds the word, and the name of every file that does."""
    return [*_columns(word), *_files(word)]


def _columns(word: str) -> Iterator[str]:
    for model in apps.get_models(include_auto_created=True):
        names = [field.attname for field in model._meta.concrete_fields if isinstance(field, TEXTUAL)]
        for row in model._default_manager.values(*names) if names else ():
            for name, value in row.items():
                if word in json.dumps(value, ensure_ascii=False, default=str):
                    yield f"{model._meta.label}.{name}"


def _files(word: str) -> Iterator[str]:
    for path in sorted((Path(settings.DATA_DIR) / "files").rglob("*")):
        if path.is_file() and word.encode() in path.read_bytes():
            yield path.name


def write_about(items: list[Item]) -> None:
    """People, models, leads and judges have written about these items of one project; a release holds them."""
    project = items[0].project
    writer, lead = make_member(project), make_member(project, "lead")
    endpoint = Endpoint.objects.create(name=f"endpoint-{project.pk}", base_url="http://127.0.0.1:9/v1", model="m")
    run = Run.objects.create(project=project, purpose="preannotate", endpoint=endpoint)
    author = Author.objects.create(project=project, name="Model A")
    judge = Judge.objects.create(project=project, name="Judge J", strategy="intent")
    for item in items:
        _people(item, writer.user, lead.user)
        _models(item, run, author, judge)
    _votes(project, items[0])
    filters = ReleaseFilters(state="any")
    make_release.work(actions.plan(project=project, filters=filters, by=None).pk)


def _people(item: Item, writer: Any, lead: Any) -> None:
    draft = DRAFT | {"first_question": f"Why {WORD}?", "reference": WORD, "drop_reason": WORD}
    slot = Slot.objects.filter(item=item).first()
    assert slot is not None
    Slot.objects.filter(pk=slot.pk).update(state="submitted", holder=writer)
    written = Annotation.objects.create(
        item=item, slot=slot, author=writer, draft=draft, outcome="annotated", submitted_at=timezone.now(), note=WORD,
        said={"reasons": [{"field": "reference", "text": WORD}]}, decided=[WORD], authored=True,
    )  # fmt: skip
    SetAside.objects.create(annotation=written, draft=draft)
    Comment.objects.create(item=item, author=writer, text=WORD, field="reference")
    flow.record(item, "returned", by=lead, note=WORD)
    Skip.objects.create(item=item, person=lead, reason="other", note=WORD)
    Notification.objects.create(user=writer, project=item.project, item=item, verb="answered", note=WORD)
    Dispute.objects.create(annotation=written, reason=WORD, decision="upheld", answer=WORD, decided_at=timezone.now())
    asked = Precedent.objects.create(
        project=item.project, item=item, field="reference", question=WORD, ruling=WORD, ruled_at=timezone.now()
    )
    PrecedentEvent.objects.create(precedent=asked, verb="ruled", text=WORD)


def _models(item: Item, run: Run, author: Author, judge: Judge) -> None:
    Annotation.objects.create(
        item=item, model="m", run=run, draft=DRAFT | {"reference": WORD}, note=WORD,
        doubts=[{"path": "intent", "message": WORD}], candidates=[{"label": "a", "draft": {"reference": WORD}}],
    )  # fmt: skip
    Classification.objects.create(item=item, run=run, label=f"{WORD};x", group=WORD)
    job = Job.objects.create(run=run, subject=str(item.pk), item=item, state="failed", cause="refused", detail=WORD)
    told = {"messages": [{"role": "user", "content": WORD}]}
    Call.objects.create(job=job, step="judge", attempt=1, digest="d", request=told, cause="", reply=WORD, detail=WORD)
    answer = Answer.objects.create(item=item, author=author, text=WORD, note=WORD)
    verdict = Verdict.objects.create(
        judge=judge, item=item, first=answer, case_sha="s", score_first=7, reason=WORD, note=WORD
    )
    Part.objects.create(verdict=verdict, axis=f"about {WORD}", label=WORD, reason=WORD, score_first=7)


def _votes(source: Project, item: Item) -> None:
    """People vote in another project on a pair of answers, whose texts the vote item copies."""
    voting = Project.objects.create(slug=f"votes-{source.pk}", name="Votes", kind_slug="preference", source=source)
    first = Answer.objects.get(item=item)
    second = Answer.objects.create(item=item, author=Author.objects.create(project=source, name="B"), text=WORD)
    facts = {"prompt": f"Why {WORD}?", "first": WORD, "second": WORD}
    vote = Item.objects.create(
        project=voting, key=f"vote-{item.pk}", title=WORD, facts=facts, content_hash="h", state="ready"
    )
    Ballot.objects.create(item=vote, first=first, second=second)


def reported_by(participant: Participant) -> list[Item]:
    return list(Item.objects.filter(reported__participant=participant).select_related("project").order_by("pk"))


def let_settle() -> None:
    """As if the minute had passed after which everything is looked through once more."""
    Withdrawal.objects.update(created_at=timezone.now() - timedelta(minutes=2))


def hold(item: Item, member: Any) -> Annotation:
    """The member has the item on their desk."""
    from annotate.items import drafts

    held = queue.claim(Slot.objects.filter(item=item, state="open").get().pk, member)
    assert held is not None
    return drafts.open_draft(held, author=member.user, item=item, project=item.project)


def releases_of(project: Project) -> list[Release]:
    return list(project.releases.order_by("version"))
