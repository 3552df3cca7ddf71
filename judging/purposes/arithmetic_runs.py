"""Chained additions as an automatic task for any endpoint, without item or judge; replies are scored exactly."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel, ConfigDict, Field

from annotate.engine.purposes import Case, JobPlan, Purpose
from annotate.kinds.protocol import Ask, Prompts, Question
from annotate.models import Item, Job, Project, Run
from lib.stats.arithmetic import EACH, LONGEST, SHORTEST, chain

STEP = "sum"
MOST_TOKENS = 2048
ASKED = {
    "en": "Add these numbers. Write the sum as the last thing, as a plain number in a line of its own.\n\n{chain}",
    "zh": "请把下面的数加起来，最后单独用一行只写出总和。\n\n{chain}",
}


class ArithmeticOptions(BaseModel):
    """Which chains: lengths from 2 on, so many cases of each, drawn with the seed."""

    model_config = ConfigDict(extra="ignore")

    seed: int = Field(
        default=1,
        ge=0,
        le=2**31 - 1,
        title=gettext_noop("Seed"),
        description=gettext_noop("The same seed gives the same sample."),
    )
    longest: int = Field(default=LONGEST, ge=SHORTEST, le=100, title=gettext_noop("Longest chain"))
    each: int = Field(default=EACH, ge=1, le=100, title=gettext_noop("Cases per length"))
    language: Literal["en", "zh"] = Field(default="en", title=gettext_noop("Language of the question"))


@dataclass(frozen=True)
class ChainCase(Case):
    """numbers: what is to be added."""

    numbers: list[int]


class Arithmetic(Purpose):
    """One job per chain. Its result is read from the ledger, which has the reply as it was received."""

    slug = "arithmetic"
    name = _("Arithmetic probe")
    about = _("A model adds up increasingly long chains of two-digit numbers. The sums are checked exactly.")
    unit = _("one per chain of additions")
    options = ArithmeticOptions
    about_items = False
    offered = False  # planned on the page of the probe

    def suits(self, project: Project) -> bool:
        return project.kind.judges_answers

    def told_options(self, run: Run) -> Mapping[str, Any]:
        options, fields = ArithmeticOptions.model_validate(run.options), ArithmeticOptions.model_fields
        return {gettext(field.title or name): getattr(options, name) for name, field in fields.items()}

    def steps(self, run: Run) -> list[str]:
        """None: the question is the same in every project, so that results are comparable."""
        return []

    def scopes(self, project: Project) -> list[str]:
        return []

    def plan(self, run: Run) -> Iterator[JobPlan]:
        options = ArithmeticOptions.model_validate(run.options)
        for length in range(SHORTEST, options.longest + 1):
            for number in range(1, options.each + 1):
                yield JobPlan(f"{STEP}/{length}/{number}")

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        """No query at all."""
        nothing = Item(project=run.project)
        return [ChainCase(job, nothing, prompts, run.options, numbers_of(run, job.subject)) for job in jobs]

    async def work(self, case: Case, ask: Ask) -> str:
        assert isinstance(case, ChainCase)
        language = ArithmeticOptions.model_validate(case.options).language
        content = ASKED[language].replace("{chain}", " + ".join(map(str, case.numbers)))
        reply = await ask(Question(STEP, [{"role": "user", "content": content}], max_tokens=MOST_TOKENS))
        return reply.text

    def store(self, case: Case, outcome: Any) -> None:
        """Nothing: the ledger has the reply."""

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        return {}


def numbers_of(run: Run, subject: str) -> list[int]:
    """The chain that a job of this name is about."""
    _step, length, number = subject.split("/")
    return chain(ArithmeticOptions.model_validate(run.options).seed, int(length), int(number))


PURPOSE = Arithmetic()
