"""Beside the world: a project of perturbations; two validate, an adjudicator decides, a judge has been asked.

Every text that somebody can write goes through `say`, as in world.py.
"""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from annotate.items import drafts, queue
from annotate.models import Annotation, Item, Job, Member, Project, Slot, User
from annotate.review import claim
from annotate.work.submit import hand_in
from judging.answers import store
from judging.answers.cases import case_of
from judging.models import Answer, ExplanationLabel, Judge, Verdict
from tests.support.people import make_item
from tests.support.runs import make_endpoint, make_run

Say = Callable[[str], str]
SLUG = "worse"
ROLES = {"viewer": "viewer", "annotator": "annotator", "colleague": "annotator", "reviewer": "reviewer", "lead": "lead"}
PAGES = {
    "desk": "/p/worse/work/{desk}/",
    "adjudication": "/p/worse/review/{adjudication}/",
    "decided": "/p/worse/items/{decided}/",
    "coverage": "/p/worse/",
    "samples": "/p/worse/samples/",
    "blind spots": "/p/worse/blindspots/",
    "pairs": "/p/worse/blindspots/pairs/?column={judge}-single&outcome=",
    "explanations": "/p/worse/blindspots/explanations/",
    "check": "/p/worse/blindspots/explanations/check/",
    "checked": "/p/worse/blindspots/explanations/checked/",
}


def build(say: Say) -> dict[str, str]:
    """Names of pages -> their paths. The annotator holds an item; the reviewer has an adjudication in hand."""
    project = Project.objects.create(
        slug=SLUG, name=say("project of perturbations")[:120], kind_slug="perturbation", reviews=0, overlap=2
    )
    for name, role in ROLES.items():
        user = User.objects.filter(username=name).first() or User.objects.create_user(name)
        Member.objects.create(project=project, user=user, role=role)
    ids = {"decided": _decided(project, say), **_disputed(project, say), **_held(project, say)}
    ids["judge"] = _judged(project, say)
    return {name: path.format(**ids) for name, path in PAGES.items()}


def _facts(say: Say, number: int) -> dict[str, Any]:
    return {
        "prompt": say(f"prompt {number}"),
        "gold_answer": say("gold answer"),
        "ability": "factual",
        "category": "number-errors",
        "explanation": say("explanation of the generator"),
    }


def _draft(say: Say, **said: Any) -> dict[str, Any]:
    return {"perturbed_answer": say("perturbed answer") + " 28", "verdict": None, "note": ""} | said


def _item(project: Project, say: Say, number: int) -> Item:
    item = make_item(project, facts=_facts(say, number), suggestion=_draft(say), group="number-errors", language="en")
    Item.objects.filter(pk=item.pk).update(title=say(f"prompt {number}")[:160])
    return item


def _member(project: Project, name: str) -> Member:
    return Member.objects.select_related("project", "user").get(project=project, user__username=name)


def _opened(project: Project, name: str) -> tuple[Annotation, Slot]:
    slot = queue.claim_next(_member(project, name), "annotate")
    assert slot is not None
    item = Item.objects.select_related("project", "base").get(pk=slot.item_id)
    member = _member(project, name)
    return drafts.open_draft(slot, author=member.user, item=item, project=project), slot


def _validated(project: Project, name: str, **said: Any) -> None:
    mine, slot = _opened(project, name)
    drafts.save(mine, {**mine.draft, **said}, revision=mine.revision, decided=[])
    mine.refresh_from_db()
    item = Item.objects.select_related("project", "base").get(pk=slot.item_id)
    assert slot.token is not None
    hand_in(annotation=mine, token=slot.token, by=_member(project, name).user, item=item)


def _decided(project: Project, say: Say) -> int:
    item = _item(project, say, 1)
    for name in ("annotator", "colleague"):
        _validated(project, name, verdict="valid", note=say(f"note of {name}"))
    return item.pk


def _disputed(project: Project, say: Say) -> dict[str, int]:
    _item(project, say, 2)
    _validated(project, "annotator", verdict="valid", note=say("note of the annotator"))
    _validated(project, "colleague", verdict="score_invariant", note=say("note of the colleague"))
    Slot.objects.filter(stage="adjudicate").update(opens_at=timezone.now())
    slot = claim.take_next(_member(project, "reviewer"))
    assert slot is not None
    return {"adjudication": slot.pk}


def _held(project: Project, say: Say) -> dict[str, int]:
    _item(project, say, 3)
    _mine, slot = _opened(project, "annotator")
    return {"desk": slot.pk}


def _judged(project: Project, say: Say) -> int:
    """Both answers of the decided item scored alike; a model has read why, and the reviewer has checked it."""
    store.ensure(project)
    judge = Judge.objects.create(project=project, name=say("judge name")[:120], strategy=say("strategy name")[:80])
    run = make_run(project, purpose="explanations", endpoint=make_endpoint(name=say("endpoint name")[:60]))
    for answer in Answer.objects.filter(author__project=project).select_related("item__base", "item__project"):
        case = case_of(answer.item)
        assert case is not None
        verdict = Verdict.objects.create(
            judge=judge,
            item=answer.item,
            first=answer,
            case_sha=case.judged.sha256,
            reading="ok",
            score_first=9,
            reason=say("reason of a judge"),
            found_in_explanation=False,
        )
        failed = {"state": "failed", "cause": "not_json", "detail": say("detail of a failure")}
        Job.objects.create(run=run, subject=f"verdict/{verdict.pk}", item=answer.item, **failed)
        ExplanationLabel.objects.create(verdict=verdict, person=User.objects.get(username="reviewer"), found=True)
    return judge.pk
