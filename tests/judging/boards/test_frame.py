"""What the frame of boards promises to each board: options, cached numbers, files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import inf, nan
from typing import Any, Literal, get_args

import pytest
from django.core.cache import caches
from django.http import Http404, QueryDict
from pydantic import Field

from annotate.models import Member, Project
from judging.boards.board import Board, BoardPage, boards
from judging.boards.files import INTERNAL, csv_rows, json_object
from judging.boards.leaderboard.leaderboard_options import LeaderboardOptions
from judging.boards.options import BoardOptions, JudgeBoardOptions
from judging.boards.report import Refused, ReportOptions
from judging.models import Judge
from judging.ratings.leaderboards import DIVISIONS
from lib.stats.figures import Figure
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


class ThingOptions(BoardOptions):
    by: Literal["task", "group"] = "task"
    least: int = Field(default=1, ge=1, le=9)
    pick: tuple[str, ...] = ()
    whole: bool = False


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    caches["local"].clear()
    yield
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return make_project()


def judged(project: Project, name: str = "judge-m", answers: int = 1) -> Judge:
    judge = a_judge(project, name)
    for _number in range(answers):
        verdict_on(answer_of(decided_item(project, CORRECTION), "Alpha"), judge, (1, 0))
    return judge


def parsed(query: str, project: Project) -> ThingOptions:
    return ThingOptions.parse(QueryDict(query), project)


def test_an_address_holds_what_differs_from_the_defaults(project: Project) -> None:
    options = parsed("by=group&least=1&pick=b&pick=&pick=a&whole=1&unknown=x", project)
    assert (options.by, options.pick, options.whole) == ("group", ("b", "a"), True)
    assert options.parameters == [("by", "group"), ("pick", "b"), ("pick", "a"), ("whole", "1")]
    assert options.address_with(by="task", pick=()) == "whole=1"
    assert parsed(options.address, project) == options


@pytest.mark.parametrize("query", ["by=nothing", "least=0", "least=many", f"least={'9' * 5000}", "whole=perhaps"])
def test_a_word_that_a_field_does_not_take_falls_back_and_is_known(project: Project, query: str) -> None:
    options = parsed(query, project)
    assert (options.by, options.least, options.whole) == ("task", 1, False)
    assert options.misread == {query.partition("=")[0]}
    assert options.parameters == []


def test_the_judge_is_the_one_with_most_verdicts_and_always_named(project: Project) -> None:
    judged(project, "judge-a")
    most = judged(project, "judge-b", answers=2)
    options = JudgeBoardOptions.parse(QueryDict(""), project)
    assert (options.judge, options.parameters) == (most, [("judge", str(most.pk))])
    with pytest.raises(Http404):
        JudgeBoardOptions.parse(QueryDict("judge=987654"), project)


def test_without_a_verdict_there_is_no_judge(project: Project) -> None:
    options = JudgeBoardOptions.parse(QueryDict(""), project)
    assert (options.judge, options.judges, options.parameters) == (None, (), [])


def test_judges_beside_are_those_of_the_project_in_its_order(project: Project) -> None:
    first, second = judged(project, "judge-a", answers=2), judged(project, "judge-b")
    query = f"beside={second.pk}&beside={first.pk}&beside=no&sort=author"
    options = LeaderboardOptions.parse(QueryDict(query), project)
    assert (options.beside, options.compared) == ((first, second), [first, second])
    assert options.sorting("author") == f"judge={first.pk}&sort=-author&beside={first.pk}&beside={second.pk}"


def test_the_divisions_of_the_address_are_those_of_the_numbers() -> None:
    assert get_args(LeaderboardOptions.model_fields["by"].annotation) == DIVISIONS


def test_a_command_refuses_what_an_address_would_overlook(project: Project) -> None:
    assert ThingOptions.of_report(project, ReportOptions(words={"least": "4"})).least == 4
    for words in ({"least": "40"}, {"unknown": "1"}):
        with pytest.raises(Refused, match=next(iter(words))):
            ThingOptions.of_report(project, ReportOptions(words=words))


@dataclass(frozen=True)
class Thing:
    author: str
    score: Figure


@dataclass(frozen=True)
class Things:
    rows: list[Thing]
    left_out: Mapping[str, int] = field(default_factory=dict)
    opened: list[int] = field(default_factory=list, metadata=INTERNAL)


def test_files_hold_the_fields_without_what_is_undefined_or_internal() -> None:
    value = json_object(Things([Thing("A", Figure(nan, 2, 0.5, inf))], {"why": 1}, [3]))
    score = {"value": None, "n": 2, "low": 0.5, "high": None, "note": ""}
    assert value == {"rows": [{"author": "A", "score": score}], "left_out": {"why": 1}}
    (row,) = csv_rows(value)
    assert row == {
        "author": "A",
        "score_value": None,
        "score_n": 2,
        "score_low": 0.5,
        "score_high": None,
        "score_note": "",
    }


def counted_board(calls: list[str]) -> Board[ThingOptions, Things]:
    def numbers(project: Project, options: ThingOptions) -> Things:
        calls.append(options.by)
        return Things([])

    def page(numbers: Things, options: ThingOptions, member: Member) -> BoardPage:
        return BoardPage({})

    return Board(slug="things", name="Things", Options=ThingOptions, numbers=numbers, page=page)


def test_numbers_are_made_once_for_each_state_of_data_options_and_code(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    board = counted_board(calls)
    for query in ("", "", "by=group", "by=group"):
        board.numbers_of(project, parsed(query, project))
    assert calls == ["task", "group"]
    judged(project)
    board.numbers_of(project, parsed("", project))
    monkeypatch.setattr("judging.cache.source_digest", lambda module: "another-release")
    board.numbers_of(project, parsed("", project))
    assert calls == ["task", "group", "task", "task"]


@pytest.mark.parametrize("board", boards().values(), ids=lambda board: board.slug)
def test_every_board_is_called_like_its_folder_and_says_what_voters_must_not_see(board: Board[Any, Any]) -> None:
    assert find_spec(f"judging.boards.{board.slug}.board")
    assert board.names_authors or board.shows_agreement
    assert board.numbers is None or board.Options is not None
