"""Purposes of runs: what a purpose tells the engine (its jobs, how each is worked, what is stored), and their list."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel, ConfigDict

from annotate.engine import discovery
from annotate.kinds.protocol import Ask, Prompts
from annotate.models import Annotation, Item, Job, Project, Run
from lib.discovery import discover
from lib.texts.fencing import SCOPE as SYSTEM
from lib.texts.raw_messages import RawMessages


@dataclass(frozen=True)
class JobPlan:
    """A job to be created. subject: its name, unique in the run and the same at every planning."""

    subject: str
    item_id: int | None = None


@dataclass(frozen=True)
class Case:
    """Everything that one job needs, read before it is worked; `work` itself never touches the database."""

    job: Job
    item: Item
    prompts: Prompts
    options: dict[str, Any]


class NoOptions(BaseModel):
    """What a purpose asks before planning: nothing. Others give a model like this one; the plan form is made of it.

    Titles and descriptions are what the form says (marked with gettext_noop). The values stand in `run.options`, beside
    `items` (the filters, see services/runs/items.py) and `limit`, which belong to the run.
    """

    model_config = ConfigDict(extra="ignore")


@runtime_checkable
class Telling(Protocol):
    """An outcome that gives its own labelled texts for a page."""

    def told(self) -> Iterator[tuple[str, str]]: ...


class RawStep(Protocol):
    """What a lead's raw messages for one step may hold, if the purpose takes any; see lib/texts/raw_messages.py."""

    @property
    def slots(self) -> Sequence[str]: ...

    @property
    def readers(self) -> Sequence[tuple[str, str | Promise, str | Promise]]:
        """(slug, name, what it reads)."""

    def problems(self, raw: RawMessages) -> list[str]:
        """What is wrong with the raw messages, a sentence each."""

    def warnings(self, raw: RawMessages) -> list[str]:
        """What the evaluator is not shown under these messages, a sentence each."""


@runtime_checkable
class Deciding(Telling, Protocol):
    """An outcome with a verdict that is shown before all else."""

    def verdict(self) -> str: ...


class PeopleSaid(Protocol):
    """What people said about the subject of a job."""

    @property
    def text(self) -> str: ...

    def agrees(self, outcome: Any) -> bool | None:
        """Whether the outcome agrees with people; None if the two cannot be compared."""


class OptionChoice(NamedTuple):
    """An option on which the other options depend. heading: what is to be chosen. offered: its values with their names
    and descriptions.

    remarks: value -> what the items of the project say about it, for values about which they say something.
    """

    option: str
    heading: str | Promise
    offered: Sequence[tuple[str, str | Promise, str | Promise]]
    remarks: Mapping[str, str | Promise] = {}


Following = Mapping[str, Mapping[str, str]]  # option -> name of an endpoint -> value


class Purpose:
    """One sort of run. `plan` and `load` may read the database, `work` may only ask, `store` may only write."""

    slug: ClassVar[str]
    name: ClassVar[str | Promise]
    about: ClassVar[str | Promise]
    options: ClassVar[type[BaseModel]] = NoOptions
    offered: ClassVar[bool] = True  # False: planned from a page of its own, not from the form of runs
    takes_accepted: ClassVar[bool] = False  # its jobs make sense for accepted items too, as a comparison with people
    takes_open: ClassVar[bool] = True  # False: only of items that people have decided
    about_items: ClassVar[bool] = True  # False: its jobs are about nothing of the project
    unit: ClassVar[str | Promise] = _("one an item")  # what a job is about

    def takes_undecided(self, project: Project) -> bool:
        """Whether items of this project that people have not decided yet get jobs too."""
        return self.takes_open

    def first_choice(self, project: Project) -> OptionChoice | None:
        """The option that the form of runs asks for first; None if no option depends on another."""
        return None

    def options_in(self, project: Project, settled: Mapping[str, str]) -> type[BaseModel]:
        """The options as the form of this project asks for them. settled: the values chosen first, by name."""
        return self.options

    def following(self, project: Project) -> Following:
        """Options that follow the endpoint until somebody enters another value."""
        return {}

    def warnings(self, run: Run) -> Sequence[str]:
        """What the page before the start warns of, a sentence each."""
        return ()

    def left_out(self, run: Run) -> Sequence[tuple[str | Promise, int]]:
        """(why, how many) of what gets no job besides whole items; annotate/runs/item_selection.py counts items."""
        return ()

    def why_nothing(self, run: Run) -> Sequence[str]:
        """Why a run has no job although there are items for it, in sentences."""
        return ()

    def told_options(self, run: Run) -> Mapping[str, Any]:
        """What a page shows about the options of a run, besides items and limit."""
        return {name: value for name, value in run.options.items() if name not in ("items", "limit")}

    def reads_guidelines(self, run: Run) -> bool:
        """Whether its models read the project's guidelines: the current ones are then kept with the run."""
        return False

    def scope(self, run: Run) -> str:
        """The scope of its prompts: a kind's or strategy's slug."""
        return run.project.kind_slug

    def scopes(self, project: Project) -> list[str]:
        """All values that `scope` may have there: their prompts can be read and edited in the project."""
        return [project.kind_slug]

    def texts(self, run: Run) -> Sequence[str]:
        """The texts inside its prompts that the run freezes too, as patterns such as `criteria.*-axis`."""
        return [f"{SYSTEM}.*"] if self.steps(run) else []

    def text_scopes(self, project: Project) -> Sequence[str]:
        """All scopes that `texts` may name there, see lib/texts/prompt_texts.py."""
        return [SYSTEM] if self.scopes(project) else []

    def tried_with(self, project: Project, scope: str, step: str) -> dict[str, Any] | None:
        """Options of a run that tries this prompt on a few items; None if the purpose does not use it."""
        run = Run(project=project, purpose=self.slug)
        return {} if self.scope(run) == scope and step in self.steps(run) else None

    def raw_step(self, scope: str, step: str) -> RawStep | None:
        """The rules for raw messages of this step; None if texts have to be fenced, or it has no such step."""
        return None

    def said_by_people(self, project: Project, subjects: Sequence[str]) -> Mapping[str, PeopleSaid]:
        """subject of a job -> what people said about it, if they have."""
        return {}

    def names_of(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """subject of a job -> a name that tells it apart from others about the same item."""
        return {}

    def suits(self, project: Project) -> bool:
        """Whether such a run has anything to ask in this project; if so, the form of runs offers it."""
        return bool(self.steps(Run(project=project, purpose=self.slug)))

    def steps(self, run: Run) -> list[str]:
        """The steps whose prompts the run freezes at planning."""
        raise NotImplementedError  # every purpose says it; the contract test calls it

    def plan(self, run: Run) -> Iterator[JobPlan]:
        """The jobs, streamed: a hundred thousand of them are never in memory together."""
        raise NotImplementedError  # every purpose says it; the contract test calls it

    def calls_expected(self, run: Run) -> float:
        """Calls that one job makes on average, for the estimate before the start."""
        return 1.0

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        """What these jobs need, in one query for each sort of thing."""
        items = Item.objects.select_related("project").in_bulk([job.item_id for job in jobs if job.item_id])
        return [Case(job, items[job.item_id], prompts, run.options) for job in jobs if job.item_id in items]

    async def work(self, case: Case, ask: Ask) -> Any:
        """Ask until there is an outcome. Raises CallFailed if a step gets no readable reply."""
        raise NotImplementedError  # every purpose says it; the contract test calls it

    def store(self, case: Case, outcome: Any) -> None:
        """Store the outcome, inside the transaction that ends the job. Storing it again must not double it."""
        raise NotImplementedError  # every purpose says it; the contract test calls it

    def store_together(self, stored: Sequence[tuple[Case, Any]]) -> None:
        """Store several outcomes whose jobs end in one transaction; a purpose may use fewer statements.

        If it raises, they are stored one by one, so that only the job fails whose outcome cannot be stored.
        """
        for case, outcome in stored:
            self.store(case, outcome)

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        """The run's outcomes at these items, in values that can be compared: item -> outcome; missing without one."""
        newest = Annotation.objects.filter(run=run, item__in=items).order_by("pk").values_list("item_id", "draft")
        return dict(newest)


# The list of purposes: one file each, found automatically.


@cache
def purposes() -> Mapping[str, Purpose]:
    """slug -> purpose, for every module of the packages `purposes` that has a `PURPOSE`."""
    packages = discovery.packages("purposes")
    return {purpose.slug: purpose for package in packages for purpose in discover(package, "PURPOSE")}
