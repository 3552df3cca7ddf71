"""The services beside the model: every step is done with both, and both must say the same afterwards.

It runs where a database is: in a test on SQLite, and inside an installation on PostgreSQL.
"""

from collections.abc import Callable
from itertools import count
from typing import Any

from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from annotate.errors import LeaseLost, WrongState
from annotate.items import actions, drafts, flow, leases, queue, slots
from annotate.models import Annotation, Item, Member, Project, Slot, User
from annotate.review import adjudication, decisions, take_back
from annotate.review.decisions import Reason
from annotate.work import submit
from tests.annotate.items.flow_model import ItemModel, Seat
from tests.support.reviews import FACTS, WRITTEN

PEOPLE = {
    "ann": "annotator",
    "ben": "annotator",
    "cleo": "annotator",
    "rita": "reviewer",
    "raj": "reviewer",
    "ruth": "reviewer",
}
TEXTS = {"first": WRITTEN, "second": WRITTEN | {"error_type": ["Factual Error"]}}
DECISIONS = ("accept", "fix", "return", "drop")
names = st.sampled_from(sorted(PEOPLE))
numbers = st.integers(0, 11)
texts = st.sampled_from([f"{text}/{decision}" for text in sorted(TEXTS) for decision in DECISIONS])
_projects = count(1)


class FlowMachine(RuleBasedStateMachine):
    """Two items of one project and the six people who work on them, and a lead."""

    def __init__(self) -> None:
        super().__init__()
        self.story = transaction.atomic()
        self.story.__enter__()

    def teardown(self) -> None:
        """Nothing of a story is left for the next one."""
        transaction.set_rollback(True)
        self.story.__exit__(None, None, None)

    @initialize(people=st.sampled_from([(1, 0), (1, 1), (1, 2), (2, 0)]))
    def begin(self, people: tuple[int, int]) -> None:
        """people: how many write on an item, and how many review it; a project has several of one sort only."""
        overlap, reviews = people
        number = next(_projects)
        columns = {"overlap": overlap, "overlap_share": 1.0, "reviews": reviews, "second_share": 1.0}
        self.project = Project.objects.create(slug=f"m{number}", name="M", kind_slug="feedback", **columns)
        self.lead = User.objects.create_user(f"lead-{number}")
        self.members = {name: self._member(f"{name}-{number}", role) for name, role in PEOPLE.items()}
        self.models: dict[int, ItemModel] = {}
        self.slots: dict[int, int] = {}  # of seats
        for key in ("a", "b"):
            item = Item.objects.create(project=self.project, key=key, title=key, facts=FACTS, content_hash=key)
            flow.move(item, "ready", by=None)
            slots.open_annotating(item, self.project)
            self.models[item.pk] = ItemModel(overlap, reviews)
        self._match()

    def _member(self, username: str, role: str) -> Member:
        member = Member.objects.create(project=self.project, user=User.objects.create_user(username), role=role)
        return Member.objects.select_related("project", "user").get(pk=member.pk)

    # --- what people do ---------------------------------------------------------------------------------------------
    @rule(name=names)
    @precondition(lambda self: self._seats("open"))
    def claim_next(self, name: str) -> None:
        """The queue hands out what the model allows, and nothing only where it allows nothing."""
        for stage in reversed(self.members[name].stages):
            if self._claim_next(name, stage):
                return

    def _claim_next(self, name: str, stage: str) -> bool:
        slot = queue.claim_next(self.members[name], stage)
        held = [seat for _item, seat in self._seats("held", name) if seat.stage == stage]
        if held:
            assert slot is not None
            assert slot.pk in [self.slots[seat.no] for seat in held]
            return False
        opened = [pair for pair in self._seats("open") if pair[1].stage == stage]
        free = {self.slots[seat.no]: (item, seat) for item, seat in opened if self.models[item].may_take(seat, name)}
        if slot is None:
            assert free == {}
            return False
        item, seat = free[slot.pk]
        self.models[item].take(seat, name)
        self._annotation(seat, name)
        return True

    @rule(name=names, text=texts)
    @precondition(lambda self: self._seats("open"))
    def serve(self, name: str, text: str) -> None:
        """As most of the work is done: taken and finished."""
        self.claim_next(name)
        if held := self._seats("held", name):
            item, seat = held[-1]
            self._finish(self.models[item], seat, text)

    @rule(number=numbers, verb=st.sampled_from(["finish"] * 6 + ["save", "put_back", "skip"]), text=texts)
    @precondition(lambda self: self._seats("held"))
    def work(self, number: int, verb: str, text: str) -> None:
        """Somebody does something with an item that they hold."""
        item, seat = self._chosen(self._seats("held"), number)
        getattr(self, f"_{verb}")(self.models[item], seat, text)

    def _finish(self, model: ItemModel, seat: Seat, text: str) -> None:
        said = text.split("/")[seat.stage != "annotate"]
        if seat.stage == "annotate":
            mine = self._saved(seat, TEXTS[said])
            submit.submit(annotation=mine, token=self._token(seat), by=self.members[seat.holder].user)
        else:
            self._decide(seat, said)
        model.submit(seat, said)
        self._open_now()

    def _save(self, _model: ItemModel, seat: Seat, _text: str) -> None:
        mine = self._annotation(seat, seat.holder)
        drafts.save(mine, mine.draft | {"feedback": "Half of a sen"}, revision=mine.revision, decided=[])
        seat.touched = True

    def _put_back(self, model: ItemModel, seat: Seat, _text: str) -> None:
        leases.release(self._slot(seat), self._token(seat))
        model.put_back(seat)

    def _skip(self, model: ItemModel, seat: Seat, _text: str) -> None:
        leases.skip(self._slot(seat), self._token(seat), person=self.members[seat.holder].user, reason="other")
        model.skip(seat)

    @rule()
    @precondition(lambda self: len(self._seats("held")) > 2)
    def let_leases_run_out(self) -> None:
        Slot.objects.held().filter(project=self.project).update(lease_until="2001-01-01T00:00:00Z")
        leases.sweep()
        for item, seat in self._seats("held"):
            self.models[item].put_back(seat)

    @rule(number=numbers)
    @precondition(lambda self: len(self._seats("submitted")) > 1)
    def take_back(self, number: int) -> None:
        """Undo, by whoever submitted it: exactly while the model says that it is possible."""
        item, seat = self._chosen(self._seats("submitted")[::-1], number)
        mine, person = self._annotation(seat, seat.holder), self.members[seat.holder].user
        undo = self._undo(seat, mine, person)
        if self.models[item].may_take_back(seat):
            undo()
            self.models[item].take_back(seat)
        else:
            self._refused(undo)

    # --- what a lead does -------------------------------------------------------------------------------------------
    @rule(number=numbers, verb=st.sampled_from(["drop", "restore", "reopen", "requeue"]))
    @precondition(lambda self: len(self._seats("submitted")) > 2)
    def lead(self, number: int, verb: str) -> None:
        item, model = list(self.models.items())[number % 2]
        if self._lead_may(model, verb):
            self._lead_does(item, verb)
            model.close("dropped" if verb == "drop" else "ready", again=verb != "drop")
        else:
            self._refused(lambda: self._lead_does(item, verb))

    @staticmethod
    def _lead_may(model: ItemModel, verb: str) -> bool:
        if verb == "requeue":
            in_round = [seat for seat in model.seats if seat.round == model.round]
            taken = any(seat.state != "open" or seat.reserved for seat in in_round)
            return model.state in ("reviewing", "adjudicating") or (model.state == "ready" and taken)
        wanted = {"restore": "dropped", "reopen": "accepted"}
        return model.state != "dropped" if verb == "drop" else model.state == wanted[verb]

    def _lead_does(self, pk: int, verb: str) -> None:
        item = Item.objects.select_related("project").get(pk=pk)
        more = {"reason": "other"} if verb == "drop" else {}
        getattr(actions, verb)(item, by=self.lead, **more)

    # --- what must be true after every step -------------------------------------------------------------------------
    @invariant()
    def both_say_the_same(self) -> None:
        if not hasattr(self, "models"):
            return
        self._match()
        for item in Item.objects.filter(project=self.project):
            model = self.models[item.pk]
            assert (item.state, item.round) == (model.state, model.round)
            assert item.drop_reason != "" or item.state != "dropped"
        for slot in Slot.objects.filter(project=self.project).select_related("holder"):
            seat = self._seat_of(slot.pk)
            holder = str(slot.holder.username).partition("-")[0] if slot.holder else ""
            assert (slot.stage, slot.round, slot.state, holder) == (seat.stage, seat.round, seat.state, seat.holder)

    def _match(self) -> None:
        """Each new seat of the model gets its slot; a seat that is gone has none any more."""
        for item, model in self.models.items():
            known = {seat.no for seat in model.seats}
            rows = Slot.objects.filter(item=item).order_by("pk")
            free = [slot for slot in rows if slot.pk not in {self.slots[no] for no in known if no in self.slots}]
            for seat in model.seats:
                if seat.no not in self.slots:
                    slot = next(each for each in free if self._fits(each, seat))
                    free.remove(slot)
                    self.slots[seat.no] = slot.pk
            assert free == [], f"the model knows nothing of {free}"
            assert len(rows) == len(known), "the model has more"

    @staticmethod
    def _fits(slot: Slot, seat: Seat) -> bool:
        reserved = slot.reserved_for.username.partition("-")[0] if slot.reserved_for else ""
        return (slot.stage, slot.round, reserved) == (seat.stage, seat.round, seat.reserved)

    # --- the two sides of a seat ------------------------------------------------------------------------------------
    def _seats(self, state: str, holder: str = "") -> list[tuple[int, Seat]]:
        every = [(item, seat) for item, model in self.models.items() for seat in model.seats if seat.state == state]
        return [pair for pair in every if holder in ("", pair[1].holder)]

    @staticmethod
    def _chosen(pairs: list[tuple[int, Seat]], number: int) -> tuple[int, Seat]:
        return pairs[number % len(pairs)]

    def _seat_of(self, slot: int) -> Seat:
        return next(seat for model in self.models.values() for seat in model.seats if self.slots[seat.no] == slot)

    def _slot(self, seat: Seat) -> Slot:
        return Slot.objects.select_related("item", "project").get(pk=self.slots[seat.no])

    def _token(self, seat: Seat) -> Any:
        return self._slot(seat).token

    def _annotation(self, seat: Seat, name: str) -> Annotation:
        slot, member = self._slot(seat), self.members[name]
        drafts.open_draft(slot, author=member.user, item=slot.item, project=member.project)
        return Annotation.objects.select_related("slot", "author", "suggestion").get(slot=slot, author=member.user)

    def _saved(self, seat: Seat, draft: dict[str, Any]) -> Annotation:
        mine, kind = self._annotation(seat, seat.holder), self.project.kind
        decided = [field.name for field in kind.fields(kind.read_facts(FACTS))]
        return drafts.save(mine, draft, revision=mine.revision, decided=decided)

    def _open_now(self) -> None:
        """The seconds in which a submission can be taken back without anybody seeing it are over."""
        Slot.objects.open().filter(project=self.project).update(opens_at="2001-01-01T00:00:00Z")

    def _decide(self, seat: Seat, decision: str) -> None:
        slot, user = self._slot(seat), self.members[seat.holder].user
        about = slot.about.draft if slot.about else TEXTS["first"]
        mine = self._saved(seat, about | {"feedback": "Better said."} if decision == "fix" else about)
        step: dict[str, Any] = {"review": mine, "token": self._token(seat), "by": user}
        adjudicates = seat.stage == "adjudicate"
        place: Any = adjudication if adjudicates else decisions
        if decision == "return":
            place.send_back(**step, reasons=[Reason("feedback", "Look again.")])
        elif decision == "drop":
            place.drop(**step, reason="too_easy", note="Everybody knows.")
        elif adjudicates:
            adjudication.accept(**step, note="So it is.")
        else:
            (decisions.fix_and_accept if decision == "fix" else decisions.accept)(**step)

    @staticmethod
    def _undo(seat: Seat, mine: Annotation, person: User) -> Callable[[], object]:
        if seat.stage == "annotate":
            return lambda: submit.undo(annotation=mine, by=person)
        return lambda: take_back.take_back(review=mine, by=person)

    @staticmethod
    def _refused(step: Callable[[], object]) -> None:
        try:
            step()
        except (WrongState, LeaseLost, actions.NotApplicable):
            return
        raise AssertionError("the model says that this is not possible")


def run(examples: int, steps: int) -> None:
    """So many stories of so many steps, always the same ones."""
    steady = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(FlowMachine, settings=steady)  # type: ignore[no-untyped-call]
