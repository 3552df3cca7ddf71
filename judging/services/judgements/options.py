"""What a run of judging was asked for: strategy, whose answers, against what, how often."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from annotate.kinds.shapes import faults
from annotate.models import Project, Run
from annotate.services.errors import Refused
from judging.models import Author
from judging.services.judgements import pairs as listed_pairs
from judging.services.judgements.pairs import Pair, refuse_unknown
from judging.strategies import strategies
from judging.strategies.base import Strategy
from judging.strategies.branches.options import APART
from judging.strategies.criteria import TASK_SPECIFIC

ALL, GOLD_PERTURBED, LISTED = "all", "gold-perturbed", "listed"
PAIRS = (ALL, GOLD_PERTURBED, LISTED)
# What a planned run meant that does not say so in its options: it is from before there was a choice.
MEANT_BEFORE = {"texts": TASK_SPECIFIC, "sharing": APART}
Name = Annotated[str, StringConstraints(max_length=120)]


class JudgeOptions(BaseModel):
    """Of every strategy; each adds options of its own beside them. Titles and descriptions are what the form says."""

    model_config = ConfigDict(extra="ignore")

    strategy: str = Field(title=gettext_noop("Strategy"), max_length=40)
    authors: list[Name] = Field(
        default_factory=list, title=gettext_noop("Whose answers"), description=gettext_noop("None ticked means all.")
    )
    pairs: str = Field(default="", title=gettext_noop("Which pairs"), max_length=20)
    listed: Annotated[str, AfterValidator(listed_pairs.checked)] = Field(
        default="",
        title=gettext_noop("Listed pairs"),
        description=gettext_noop("One JSON object a line with the key of an item and two authors: key, first, second."),
        max_length=listed_pairs.LARGEST,
    )
    reference: Name = Field(
        default="",
        title=gettext_noop("Reference"),
        description=gettext_noop("The author whose answer the judge is shown as a trusted one."),
    )
    own_reference: bool = Field(
        default=False,
        title=gettext_noop("Own first answers as references"),
        description=gettext_noop(
            "Each author's second answer is held against the author's own first one, and the reference above is not "
            "used: that shows the judge's bias."
        ),
    )
    both_orders: bool = Field(
        default=False,
        title=gettext_noop("Both orders"),
        description=gettext_noop("Each pair is judged a second time with its answers swapped."),
    )
    repeats: int = Field(default=1, ge=1, le=20, title=gettext_noop("How often each is judged"))


@dataclass(frozen=True)
class Wanted:
    """The options of one run, read. own: those of its strategy."""

    strategy: Strategy
    given: JudgeOptions
    own: Any

    @property
    def orders(self) -> list[tuple[int, bool]]:
        """(repeat, swapped) of everything that one job asks."""
        both = self.strategy.always_both_orders or self.given.both_orders
        swaps = (False, True) if self.strategy.pairwise and both else (False,)
        return [(repeat, swapped) for repeat in range(1, self.given.repeats + 1) for swapped in swaps]

    @property
    def beside(self) -> bool:
        """Whether a reference stands beside the answer."""
        return bool(self.given.reference) or self.given.own_reference

    @cached_property
    def listed(self) -> Mapping[str, Sequence[Pair]]:
        """key of an item -> the pairs that somebody has listed there."""
        return listed_pairs.by_key(listed_pairs.read(self.given.listed))

    @property
    def pairs(self) -> str:
        """Which pairs: of PAIRS; a list that is there counts, also where nobody has chosen it."""
        return self.given.pairs or (LISTED if self.given.listed else ALL)


def wanted(run: Run) -> Wanted:
    """Raises Refused for a strategy that is not there (any more), or options that it cannot have."""
    try:
        return read(run.options)
    except ValidationError as error:
        raise Refused(" ".join(f"{fault.path}: {fault.message}" for fault in faults(error))) from error


def read(options: dict[str, Any]) -> Wanted:
    """Raises Refused for a strategy that is not there, ValidationError for values that an option cannot have."""
    strategy = strategies().get(str(options.get("strategy", "")))
    if strategy is None:
        there_are = ", ".join(strategies())
        raise Refused(
            _("There is no strategy “%(slug)s”. Strategies: %(all)s.")
            % {"slug": options.get("strategy", ""), "all": there_are}
        )
    strategy_options = strategy.options.model_validate(own_options(strategy, options))
    judge_options = JudgeOptions.model_validate(options)
    return Wanted(
        strategy,
        judge_options.model_copy(update={"reference": ""}) if judge_options.own_reference else judge_options,
        strategy_options,
    )


def own_options(strategy: Strategy, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the strategy among those of a run. A run that names its judge was planned: see MEANT_BEFORE."""
    meant = {**MEANT_BEFORE, **options} if "judge" in options else options
    return {name: meant[name] for name in strategy.options.model_fields if name in meant}


def settled(options: Wanted) -> dict[str, str]:
    """The choices that came later than the strategies, in so many words, for the run to keep."""
    return {name: getattr(options.own, name) for name in MEANT_BEFORE if hasattr(options.own, name)}


def refuse_unless_possible(project: Project, options: Wanted) -> None:
    """Raises Refused where authors are missing, or the strategy needs or cannot use what was said."""
    judge_options, strategy = options.given, options.strategy
    if reason := strategy.refusal(options.own):
        raise Refused(reason)
    author_names = {*judge_options.authors, judge_options.reference} - {""}
    missing = sorted(
        author_names - set(Author.objects.filter(project=project, name__in=author_names).values_list("name", flat=True))
    )
    if missing:
        there_are = ", ".join(Author.objects.filter(project=project).values_list("name", flat=True)[:20]) or _("none")
        raise Refused(_("There is no author “%(name)s”. Authors: %(all)s.") % {"name": missing[0], "all": there_are})
    if judge_options.own_reference:
        _refuse_own(options)
    elif strategy.needs_reference and not judge_options.reference:
        raise Refused(_("The strategy “%(name)s” needs a reference: say whose answer it is.") % {"name": strategy.name})
    _refuse_pairs(options)
    refuse_unknown(project, [pair for pairs in options.listed.values() for pair in pairs])


def _refuse_own(options: Wanted) -> None:
    """Own first answers as references measure bias only where the judge is told what a reference is worth."""
    if options.strategy.reference_score is None:
        raise Refused(
            _("The strategy “%(name)s” does not say what a reference is worth: own first answers say nothing there.")
            % {"name": options.strategy.name}
        )


def _refuse_pairs(options: Wanted) -> None:
    judge_options, strategy = options.given, options.strategy
    if not strategy.pairwise and (judge_options.pairs or judge_options.both_orders or judge_options.listed):
        raise Refused(
            _("The strategy “%(name)s” judges one answer at a time: there are no pairs and no orders to choose.")
            % {"name": strategy.name}
        )
    if strategy.pairwise and judge_options.pairs not in ("", *PAIRS):
        raise Refused(_("There are no pairs “%(pairs)s”; choose one of %(all)s.")
                      % {"pairs": judge_options.pairs, "all": ", ".join(PAIRS)})  # fmt: skip
    if (options.pairs == LISTED) != bool(judge_options.listed):
        raise Refused(_("Give a list of pairs exactly where listed pairs are to be judged."))
