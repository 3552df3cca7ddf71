"""LLMFAO: whose verdicts a file without workers holds."""

from pathlib import Path

import pytest

from annotate.formats.format import BadOption
from annotate.formats.rows import Problem
from judging.formats.format import Voted, judgement_formats

FORMAT = judgement_formats()["llmfao"]
ROW = "0,8,97,98,left,model-a,model-b"
HEADER = "id,prompt,model_x,model_y,winner,left,right"


def read(folder: Path, name: str, *lines: str, **options: str) -> list[Voted | Problem]:
    path = folder / name
    path.write_text("\n".join(lines or (HEADER, ROW)))
    return list(FORMAT.read(path, name=f"some/folder/{name}", options=options))


def judges(found: list[Voted | Problem]) -> list[str]:
    return [said.judge for row in found if isinstance(row, Voted) for said in row.said]


@pytest.mark.parametrize(
    ("name", "judge"),
    [
        ("gpt4-crowd-comparisons.csv", "gpt-4"),
        ("llmfao_gpt4-crowd-comparisons.csv", "gpt-4"),
        ("gpt3-crowd-comparisons.csv", "gpt-3.5-turbo-instruct"),
        ("GPT3-comparisons.csv", "gpt-3.5-turbo-instruct"),
    ],
)
def test_the_name_of_a_published_file_says_whose_verdicts_it_holds(tmp_path: Path, name: str, judge: str) -> None:
    assert judges(read(tmp_path, name)) == [judge]


def test_the_option_and_the_column_say_it_before_the_name(tmp_path: Path) -> None:
    assert judges(read(tmp_path, "gpt4-comparisons.csv", judge="my judge")) == ["my judge"]
    lines = (HEADER + ",judge", ROW + ",judge-x")
    assert judges(read(tmp_path, "gpt4-comparisons.csv", *lines, judge="my judge")) == ["judge-x"]


def test_a_file_that_does_not_say_it_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (problem,) = read(tmp_path, "comparisons.csv")
    assert isinstance(problem, Problem)
    assert (problem.line, problem.path) == (2, "judge")
    assert "--option judge=NAME" in problem.message


def test_a_file_of_the_crowd_needs_no_judge(tmp_path: Path) -> None:
    (row,) = read(tmp_path, "comparisons.csv", HEADER + ",worker", ROW + ",58")
    assert isinstance(row, Voted)
    assert [vote.rater for vote in row.votes] == ["worker 58"]


@pytest.mark.parametrize("judge", ["two\nlines", "x" * 121])
def test_a_judge_has_a_name_in_one_line(tmp_path: Path, judge: str) -> None:
    with pytest.raises(BadOption, match="judge"):
        read(tmp_path, "comparisons.csv", judge=judge)
