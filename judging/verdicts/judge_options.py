"""Options of judging runs: strategy, authors, reference, repeats, and listed pairs of authors."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from annotate.errors import Refused
from annotate.kinds.shapes import faults
from annotate.models import Item, Project, Run
from judging.models import Author
from judging.strategies.strategy import Strategy, strategies

NAMES = ("key", "first", "second")
LARGEST = 5_000_000  # characters of a list
SHOWN = 20  # names in a message
BLANK = " \t\r\n,"


class ListedPair(NamedTuple):
    """One row. key: of the item; first, second: authors. line: where it stands."""

    key: str
    first: str
    second: str
    line: int


def read_pairs(text: str) -> list[ListedPair]:
    """JSON objects with key, first and second, one per line, without duplicates. Raises ValueError with the line."""
    unique_pairs = {pair[:3]: pair for pair in reversed(list(_pairs(text.removeprefix("\ufeff"))))}
    return sorted(unique_pairs.values(), key=lambda pair: pair.line)


def _pairs(text: str) -> Iterator[ListedPair]:
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at] in BLANK:
            at += 1
            continue
        line = text.count("\n", 0, at) + 1
        try:
            row, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as fault:
            raise ValueError(_("Line %(line)d is not a JSON object.") % {"line": line}) from fault
        yield ListedPair(*_names(row, line), line)


def _names(row: Any, line: int) -> tuple[str, str, str]:
    names = [row.get(name) for name in NAMES] if isinstance(row, dict) else [None]
    if not all(isinstance(name, str) and name for name in names):
        message = _("Line %(line)d needs the text fields “key”, “first” and “second”.")
        raise ValueError(message % {"line": line})
    key, first, second = map(str, names)
    if first == second:
        raise ValueError(_("Line %(line)d pairs “%(name)s” with itself.") % {"line": line, "name": first})
    return key, first, second


def checked(text: str) -> str:
    """The same text. Raises ValueError if it cannot be parsed."""
    read_pairs(text)
    return text


def by_key(pairs: Sequence[ListedPair]) -> Mapping[str, Sequence[ListedPair]]:
    pairs_by_key: dict[str, list[ListedPair]] = defaultdict(list)
    for pair in pairs:
        pairs_by_key[pair.key].append(pair)
    return pairs_by_key


def refuse_unknown(project: Project, pairs: Sequence[ListedPair]) -> None:
    """Raises Refused at the first row whose item or author the project does not have."""
    keys = set(Item.objects.filter(project=project).values_list("key", flat=True).iterator(5000))
    authors = set(Author.objects.filter(project=project).values_list("name", flat=True))
    for pair in pairs:
        if pair.key not in keys:
            raise Refused(_("Line %(line)d: there is no item “%(key)s”.") % {"line": pair.line, "key": pair.key})
        missing = next((name for name in (pair.first, pair.second) if name not in authors), None)
        if missing is not None:
            values = {"line": pair.line, "name": missing, "all": ", ".join(sorted(authors)[:SHOWN]) or _("none")}
            raise Refused(_("Line %(line)d: there is no author “%(name)s”. Authors: %(all)s.") % values)


# Options of a run.


ALL, GOLD_PERTURBED, LISTED = "all", "gold-perturbed", "listed"
PAIRS = (ALL, GOLD_PERTURBED, LISTED)
SETTLED = ("texts", "sharing")  # options whose defaults have changed once: a planned run names them
Name = Annotated[str, StringConstraints(max_length=120)]


class JudgeOptions(BaseModel):
    """Of every strategy; each adds options of its own beside them. Titles and descriptions are what the form says."""

    model_config = ConfigDict(extra="ignore")

    strategy: str = Field(title=gettext_noop("Strategy"), max_length=40)
    authors: list[Name] = Field(
        default_factory=list, title=gettext_noop("Answers by"), description=gettext_noop("None selected: all.")
    )
    pairs: str = Field(default="", title=gettext_noop("Which pairs"), max_length=20)
    listed: Annotated[str, AfterValidator(checked)] = Field(
        default="",
        title=gettext_noop("Listed pairs"),
        description=gettext_noop("One JSON object per line with an item key and two authors: key, first, second."),
        max_length=LARGEST,
    )
    reference: Name = Field(
        default="",
        title=gettext_noop("Reference"),
        description=gettext_noop("The author whose answer the judge sees as a trusted reference."),
    )
    own_reference: bool = Field(
        default=False,
        title=gettext_noop("Use own first answers as references"),
        description=gettext_noop(
            "Compares each author's second answer with the author's own first one, without the reference "
            "above. This shows the judge's bias."
        ),
    )
    both_orders: bool = Field(
        default=False,
        title=gettext_noop("Both orders"),
        description=gettext_noop("Each pair is judged again with its answers swapped."),
    )
    repeats: int = Field(default=1, ge=1, le=20, title=gettext_noop("Verdicts per answer or pair"))


@dataclass(frozen=True)
class JudgeRunOptions:
    """The parsed options of one run. own: those of its strategy."""

    strategy: Strategy
    given: JudgeOptions
    own: Any

    @property
    def orders(self) -> list[tuple[int, bool]]:
        """(repeat, swapped) of all questions of one job."""
        both = self.strategy.always_both_orders or self.given.both_orders
        swaps = (False, True) if self.strategy.pairwise and both else (False,)
        return [(repeat, swapped) for repeat in range(1, self.given.repeats + 1) for swapped in swaps]

    @property
    def beside(self) -> bool:
        """Whether answers are judged with a reference."""
        return bool(self.given.reference) or self.given.own_reference

    @cached_property
    def listed(self) -> Mapping[str, Sequence[ListedPair]]:
        """key of an item -> the pairs listed for it."""
        return by_key(read_pairs(self.given.listed))

    @property
    def pairs(self) -> str:
        """Which pairs, one of PAIRS; a given list counts even if it was not chosen."""
        return self.given.pairs or (LISTED if self.given.listed else ALL)


def options_of(run: Run) -> JudgeRunOptions:
    """The parsed options. Raises Refused for an unknown or removed strategy, or options that it cannot have."""
    try:
        return read_options(run.options)
    except ValidationError as error:
        raise Refused(" ".join(f"{fault.path}: {fault.message}" for fault in faults(error))) from error


def read_options(options: dict[str, Any]) -> JudgeRunOptions:
    """The parsed options. Raises Refused for an unknown strategy, ValidationError for invalid values."""
    strategy = strategies().get(str(options.get("strategy", "")))
    if strategy is None:
        there_are = ", ".join(strategies())
        raise Refused(
            _("There is no strategy “%(slug)s”. Strategies: %(all)s.")
            % {"slug": options.get("strategy", ""), "all": there_are}
        )
    strategy_options = strategy.options.model_validate(own_options(strategy, options))
    judge_options = JudgeOptions.model_validate(options)
    return JudgeRunOptions(
        strategy,
        judge_options.model_copy(update={"reference": ""}) if judge_options.own_reference else judge_options,
        strategy_options,
    )


def strategies_for(project: Project) -> list[Strategy]:
    """Those that can be asked about the project's items: about its own questions, or about answers."""
    asks_questions = project.kind.judges_items
    return [strategy for strategy in strategies().values() if strategy.asks_questions == asks_questions]


def own_options(strategy: Strategy, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the strategy among those of a run."""
    return {name: options[name] for name in strategy.options.model_fields if name in options}


def settled(options: JudgeRunOptions) -> dict[str, str]:
    """The values of SETTLED for the run to store, as far as its strategy has them."""
    return {name: getattr(options.own, name) for name in SETTLED if hasattr(options.own, name)}


def refuse_unless_possible(project: Project, options: JudgeRunOptions) -> None:
    """Raises Refused if authors are missing, or an option is missing for the strategy or cannot be used by it."""
    judge_options, strategy = options.given, options.strategy
    _refuse_unsuited(project, options)
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
        raise Refused(
            _("The strategy “%(name)s” needs a reference. Choose whose answer it is.") % {"name": strategy.name}
        )
    _refuse_pairs(options)
    refuse_unknown(project, [pair for pairs in options.listed.values() for pair in pairs])


def _refuse_unsuited(project: Project, options: JudgeRunOptions) -> None:
    suited = strategies_for(project)
    if options.strategy not in suited:
        message = _("The strategy “%(name)s” is not for this kind of project. Strategies: %(all)s.")
        names = ", ".join(strategy.slug for strategy in suited)
        raise Refused(message % {"name": options.strategy.slug, "all": names})
    questions = project.kind.questions() if options.strategy.asks_questions else {}
    missing = [name for name in getattr(options.own, "questions", ()) if name not in questions]
    if missing:
        message = _("There is no question “%(name)s”. Questions: %(all)s.")
        raise Refused(message % {"name": missing[0], "all": ", ".join(questions)})
    own = project.kind.own_questions if options.strategy.asks_questions else None
    if own is not None and options.own.one_by_one and not own.only(options.own.questions).has_criteria:
        raise Refused(_("No question that is asked has criteria; leave out one_by_one."))


def _refuse_own(options: JudgeRunOptions) -> None:
    """Refuse own first answers as references unless the prompt gives the reference's worth: only then is it bias."""
    if options.strategy.reference_score is None:
        raise Refused(
            _("The strategy “%(name)s” gives the reference no score of its own, so own first answers show nothing.")
            % {"name": options.strategy.name}
        )


def _refuse_pairs(options: JudgeRunOptions) -> None:
    judge_options, strategy = options.given, options.strategy
    if not strategy.pairwise and (judge_options.pairs or judge_options.both_orders or judge_options.listed):
        raise Refused(
            _("The strategy “%(name)s” judges one answer at a time. Pairs and orders do not apply.")
            % {"name": strategy.name}
        )
    if strategy.pairwise and judge_options.pairs not in ("", *PAIRS):
        raise Refused(_("Unknown pairs “%(pairs)s”. Choose one of: %(all)s.")
                      % {"pairs": judge_options.pairs, "all": ", ".join(PAIRS)})  # fmt: skip
    if (options.pairs == LISTED) != bool(judge_options.listed):
        raise Refused(_("Enter a list of pairs if, and only if, “Listed pairs” is chosen."))
