"""One installation's worth of data: a project with everything in it, another one beside it, and all roles.

Every text that somebody can write goes through `say(where)`, so that the same world carries attacks or markers.
Runs inside a test as well as inside a live installation (`Installation.python`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotate.items import comments, drafts, flow, leases, queue, slots
from annotate.kinds.feedback.shapes import DEFICIENCIES, TASKS
from annotate.models import (
    Annotation,
    Comment,
    Dispute,
    Endpoint,
    Guideline,
    Invitation,
    Item,
    Member,
    Notification,
    Project,
    Sample,
    SetAside,
    Slot,
    User,
)
from annotate.review import decisions
from annotate.work import submit
from tests.security import (
    world_answers,
    world_files,
    world_guidelines,
    world_models,
    world_programs,
    world_readiness,
    world_runs,
    world_verdicts,
)

Say = Callable[[str], str]
ROLES = ("viewer", "annotator", "reviewer", "lead")
OURS, THEIRS = "ours", "theirs"


def plain(where: str) -> str:
    return f"The {where} as written."


@dataclass
class World:
    """ids: project -> what -> the id of an object; "what:role" is the one in that role's hands.

    tokens: role -> the secret with which its program comes. sessions: role -> the key of the one it is signed in with,
    once it is.
    """

    say: Say
    people: dict[str, User] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    ids: dict[str, dict[str, Any]] = field(default_factory=lambda: {OURS: {}, THEIRS: {}})

    def id_of(self, what: str, role: str, project: str = OURS) -> Any:
        ids = self.ids[project]
        return ids.get(f"{what}:{role}", ids.get(what))


def build(say: Say = plain) -> World:
    """The whole world. Items of both projects are in every state that a page can show."""
    world = World(say)
    for role in (*ROLES, "colleague", "stranger", "staff"):
        world.people[role] = _account(role, say)
    User.objects.filter(username="staff").update(is_staff=True, is_superuser=True)
    world.people["staff"].refresh_from_db()
    _fill(world, _project(OURS, say), {role: role for role in ROLES} | {"colleague": "annotator"})
    _fill(
        world, _project(THEIRS, say), {"stranger": "lead", "lead_of_theirs": "lead", "annotator_of_theirs": "annotator"}
    )
    return world


def _account(role: str, say: Say) -> User:
    user = User.objects.create_user(role, email=f"{role}@mail.invalid", password="long enough for a test")
    user.display_name = say(f"display name of {role}")[:80]
    user.save()
    return user


def _project(slug: str, say: Say) -> Project:
    project = Project.objects.create(
        slug=slug,
        name=say("project name")[:120],
        kind_slug="feedback",
        licence=say("licence")[:80],
        languages=["en", say("language")[:12]],
        options={"tasks": TASKS | {say("task"): [say("subtask")]}, "error_types": [*DEFICIENCIES, say("deficiency")]},
    )
    for version in (1, 2):
        Guideline.objects.create(
            project=project, version=version, text=say("guideline"), note=say("guideline note")[:200]
        )
    return project


def _fill(world: World, project: Project, roles: dict[str, str]) -> None:
    members = {}
    for name, role in roles.items():
        user = world.people.get(name) or _account(name, world.say)
        members[name] = Member.objects.create(project=project, user=user, role=role)
    world.tokens |= world_programs.tokens_of(members, world.say)
    _Filler(world, project, members).fill()


@dataclass
class _Filler:
    world: World
    project: Project
    members: dict[str, Member]

    @property
    def ids(self) -> dict[str, Any]:
        return self.world.ids[self.project.slug]

    def fill(self) -> None:
        self._beside_items()
        workers = [name for name, member in self.members.items() if member.annotates]
        for name in workers:
            self._in_hand(name)
        writer, *others = [name for name in workers if not self.members[name].reviews] or workers
        reviewers = [name for name, member in self.members.items() if member.reviews]
        for reviewer in reviewers:
            self._under_review(reviewer, writer if writer != reviewer else others[0])
        self._decided(reviewers[-1], others[-1] if others else writer)
        self.ids["open review"] = self._written("waiting", writer).slots.get(stage="review").pk
        self.ids["item"] = self._item("open").pk
        self.ids.update(world_files.releases(self.project, self.members[reviewers[-1]].user, self.world.say))
        self._written_in_the_margin(others[-1] if others else writer, reviewers[-1])
        lead = next(member.user for member in self.members.values() if member.leads)
        self.ids["sample"] = Sample.objects.create(project=self.project, tolerated="0.05", risk="0.05").pk
        self.ids.update(world_guidelines.ruled(self.project, self.members, self.world.say, self.ids["accepted item"]))
        self.ids.update(
            world_readiness.calibrated(self.project, self.members, self.world.say, self.draft("calibrated"))
        )
        self.ids.update(world_models.wordings(self.project, lead, self.world.say))
        self.ids.update(world_runs.runs(self.project, lead, self.world.say, Endpoint.objects.get(name="nowhere")))
        self.ids.update(world_files.alike(self.project, lead))
        self.ids.update(world_answers.answers(self.project, self.world.say))
        self.ids.update(world_verdicts.verdicts(self.project, self.world.say))

    def _beside_items(self) -> None:
        say, lead = self.world.say, next(m.user for m in self.members.values() if m.leads)
        self.ids["member"] = next(iter(self.members.values())).pk
        self.ids.update({"field": "feedback", "arm": "shown"})
        invitation = Invitation.objects.create(
            project=self.project,
            role="annotator",
            email=f"invited-to-{self.project.slug}@mail.invalid",
            note=say("invitation note")[:120],
            created_by=lead,
            expires_at=timezone.now() + timedelta(days=9),
        )
        self.ids.update({"invitation": invitation.pk, "token": invitation.token})
        self.ids.update(world_files.imports(self.project, lead, say, self.draft("imported")))
        self.ids["endpoint"] = world_models.endpoint(say)
        self.ids.update(world_programs.webhook(next(m for m in self.members.values() if m.leads), say))
        for member in self.members.values():
            Notification.objects.create(
                user=member.user, project=self.project, actor=lead, verb="removed", note=say("notification")
            )

    def _item(self, name: str) -> Item:
        say, key = self.world.say, f"{self.project.slug}-{name}"
        facts = {
            "bench_type": "Error Correction",
            "user_query": say("question") + f" ({key})",
            "origin_first_response": say("first answer"),
        }
        item = Item.objects.create(
            project=self.project,
            key=(say("key")[:150] + key) if say is not plain else key,
            title=facts["user_query"][:160],
            group=say("group")[:120],
            language="en",
            facts=facts,
            content_hash=key,
        )
        Annotation.objects.create(
            item=item,
            model=say("model name")[:120],
            prompt_version=say("prompt version")[:80],
            draft=self.draft("suggested"),
            submitted_at=timezone.now(),
            doubts=[{"path": "task_type", "message": say("doubt")}],
        )
        flow.move(item, "ready", by=None)
        slots.open_annotating(item, self.project)
        return item

    def draft(self, whose: str) -> dict[str, Any]:
        say = self.world.say
        return {
            "task_type": "Knowledge Q&A",
            "sub_task_type": "Objective Facts",
            "error_type": ["Factual Error"],
            "feedback": say(f"feedback {whose}"),
            "feedback_type": ["Pointing Out Errors"],
            "checklist": [[say(f"checklist question {whose}") + "?", 0.6], [f"Is it the second of {whose}?", 0.4]],
            "reference_first_response": say(f"reference {whose}"),
            "reference_second_response": say(f"follow-up {whose}"),
        }

    def _claim(self, item: Item, stage: str, name: str) -> Annotation:
        slot = Slot.objects.get(item=item, stage=stage, round=item.round)
        held = queue.claim(slot.pk, self.members[name])
        assert held is not None, (item, stage, name)
        return drafts.open_draft(held, author=self.members[name].user, item=item, project=self.project)

    def _write(self, annotation: Annotation, whose: str) -> Annotation:
        return drafts.save(annotation, self.draft(whose), revision=annotation.revision, decided=[], seconds=30)

    def _in_hand(self, name: str) -> None:
        annotation = self._write(self._claim(self._item(f"held by {name}"), "annotate", name), f"held by {name}")
        aside = SetAside.objects.create(annotation=annotation, draft=self.draft(f"set aside by {name}"))
        self.ids.update(
            {
                f"held item:{name}": annotation.item_id,
                f"slot:{name}": annotation.slot_id,
                f"aside:{name}": aside.pk,
            }
        )
        self.ids.setdefault("slot", annotation.slot_id)
        self.ids.setdefault("held item", annotation.item_id)
        self.ids.setdefault("aside", aside.pk)
        skipped = self._claim(self._item(f"skipped by {name}"), "annotate", name)
        leases.skip(
            skipped.slot,
            skipped.slot.token,
            person=self.members[name].user,
            reason="other",
            note=self.world.say("skip note"),
        )

    def _written(self, label: str, name: str) -> Item:
        annotation = self._write(self._claim(self._item(label), "annotate", name), f"submitted by {name}")
        item = submit.submit(annotation=annotation, token=annotation.slot.token, by=self.members[name].user)
        Slot.objects.filter(item=item, stage="review").update(opens_at=timezone.now() - timedelta(seconds=1))
        return item

    def _under_review(self, reviewer: str, writer: str) -> None:
        item = self._written(f"reviewed by {reviewer}", writer)
        review = self._write(self._claim(item, "review", reviewer), f"review of {reviewer}")
        self.ids[f"review:{reviewer}"] = review.slot_id
        self.ids.setdefault("review", review.slot_id)

    def _decided(self, reviewer: str, writer: str) -> None:
        by = self.members[reviewer].user
        for verb in ("returned", "accepted", "fixed", "dropped"):
            review = self._claim(self._written(verb, writer), "review", reviewer)
            token = review.slot.token
            note = self.world.say("decision note")
            if verb == "returned":
                reasons = [decisions.Reason("feedback", self.world.say("reason")), decisions.Reason("", "And in all.")]
                item = decisions.send_back(review=review, token=token, by=by, reasons=reasons)
                self.ids["thread"] = Comment.objects.filter(item=item, parent=None).earliest("id").pk
            elif verb == "accepted":
                item = decisions.accept(review=review, token=token, by=by)
            elif verb == "fixed":
                self._write(review, f"fixed by {reviewer}")
                review.refresh_from_db()
                item = decisions.fix_and_accept(review=review, token=token, by=by, note=note)
            else:
                item = decisions.drop(review=review, token=token, by=by, reason="other", note=note)
            self.ids[f"{verb} item"] = item.pk
            text = Annotation.objects.get(slot__item=item, slot__stage="annotate", authored=True)
            self.ids["own text"] = self.ids[f"own text:{writer}"] = text.pk
            if verb in ("fixed", "dropped"):
                self.ids[f"{verb} dispute"] = self._disputed(text, answered=verb == "dropped").pk

    def _disputed(self, text: Annotation, *, answered: bool) -> Dispute:
        say = self.world.say
        told = {"decision": "changed", "answer": say("dispute answer"), "decided_at": timezone.now()}
        return Dispute.objects.create(annotation=text, reason=say("dispute reason"), **(told if answered else {}))

    def _written_in_the_margin(self, writer: str, reviewer: str) -> None:
        item = Item.objects.get(pk=self.ids["returned item"])
        thread = Comment.objects.get(pk=self.ids["thread"])
        comments.answer(thread=thread, by=self.members[writer].user, text=self.world.say("answer"), answer="disagree")
        comments.start(item=item, by=self.members[reviewer].user, text=self.world.say("comment"), field="checklist")
