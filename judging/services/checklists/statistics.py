"""One line for every question of every judged checklist, the worst first."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.models import Project
from judging.models import Judge
from judging.services.checklists import said
from judging.services.remembering import remembered, states_of
from judging.services.scores import judges as judges_of
from lib.stats.questions import Figure, Share, against, agreement, discrimination, share_met

FEW = 5  # answers below which nothing is said against a question
CONTRADICTS = -0.3  # a correlation at or below this is more than noise over twenty answers
DISAGREED = 0.7  # judges who agree less than this read the question differently

# Signs of a question that does not work, the gravest first.
SIGNS = ("contradicts", "never", "always", "disagreed", "weak")
OF_CORRELATIONS = frozenset({"contradicts", "weak"})  # no fault among alternatives, of which one is met or another
ALTERNATIVE, FEW_ANSWERS = "alternative", "few"
ORDER = (*SIGNS, ALTERNATIVE, "", FEW_ANSWERS)
Place = tuple[int, int, int, int]  # order of the list: sign, how bad (in thousandths), item, number


@dataclass(frozen=True)
class QuestionStatistics:
    """no: from 1. sign: one of SIGNS, "" for a question that works, "few" where too little was judged to tell.

    rule: of its checklist. With `any` the questions are alternatives ("if it agrees …", "if it does not …"): that they
    exclude each other is meant so, and their sign is "alternative".
    first: its correlation with the first question of the list; of the first one itself there is none.
    """

    item_id: int
    key: str
    language: str
    no: int
    text: str
    weight: float | None
    scenario: str
    tasks: Sequence[str]
    met: Share
    discrimination: Figure
    first: Figure
    agreement: Figure
    rule: str = "weights"

    @property
    def sign(self) -> str:
        if self.met.n < FEW:
            return FEW_ANSWERS
        signs = [sign for sign in SIGNS if self._has(sign)]
        faults = [sign for sign in signs if self.rule != "any" or sign not in OF_CORRELATIONS]
        return next(iter(faults), ALTERNATIVE if signs else "")

    def _has(self, sign: str) -> bool:
        match sign:
            case "contradicts":
                return self.worst is not None and self.worst <= CONTRADICTS
            case "never":
                return self.met.met == 0
            case "always":
                return self.met.met == self.met.n
            case "disagreed":
                return self.agreement.value is not None and self.agreement.value < DISAGREED
            case _:
                return self.discrimination.value is not None and self.discrimination.value < 0.1

    @property
    def worst(self) -> float | None:
        """The more contrary of both correlations."""
        values = [value for value in (self.discrimination.value, self.first.value) if value is not None]
        return min(values, default=None)

    @property
    def place(self) -> Place:
        value = self.worst if self.worst is not None else 1.0
        return ORDER.index(self.sign), round(1000 * value), self.item_id, self.no


def statistics(project: Project, judge: Judge) -> list[QuestionStatistics]:
    """Every question that this judge has answered about accepted items, the worst first.

    Agreement is with all other judges of the project. Made once for each state of the project.
    """
    everybody = judges_of(project)
    state = states_of(project, everybody)
    return remembered(f"checklists:{judge.pk}", "-".join(state.values()), lambda: _made(project, judge, everybody))


def of_item(item: int, judge: Judge, everybody: Sequence[Judge], judged: said.Judged) -> list[QuestionStatistics]:
    """The questions of one item, whatever its state, in their order. judged: read of it."""
    return _questions(judged, item, judge, [rater.pk for rater in everybody])


def _made(project: Project, judge: Judge, everybody: Sequence[Judge]) -> list[QuestionStatistics]:
    judged, judge_pks = said.read_all(project.pk, everybody), [rater.pk for rater in everybody]
    items = {item for item, _answer in judged.said.get(judge.pk, {})}
    rows = [row for item in items for row in _questions(judged, item, judge, judge_pks)]
    return sorted(rows, key=lambda row: row.place)


def _questions(judged: said.Judged, item: int, judge: Judge, everybody: Sequence[int]) -> list[QuestionStatistics]:
    if item not in judged.cases or item not in judged.answers:
        return []
    case = judged.cases[item]
    columns = [judged.of(judge.pk, item, index) for index in range(len(case.judged.checklist))]
    return [
        QuestionStatistics(
            item_id=item,
            key=case.item.key,
            language=case.item.language,
            no=index + 1,
            text=question.text,
            weight=question.weight,
            scenario=case.judged.scenario,
            tasks=case.judged.labels.get("task", ()),
            met=share_met(columns[index]),
            discrimination=discrimination(columns[index], columns[:index] + columns[index + 1 :]),
            first=against(columns[index], columns[0]) if index else Figure(None, 0, "itself"),
            agreement=agreement(judged.beside(everybody, item, index)),
            rule=case.judged.rule,
        )
        for index, question in enumerate(case.judged.checklist)
    ]
