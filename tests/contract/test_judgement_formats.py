"""What holds for every format of judgements there is."""

from pathlib import Path

import pytest

from annotate.formats.format import BadOption
from annotate.formats.rows import Problem
from annotate.kinds import all_kinds
from judging.formats.format import JudgementFormat, judgement_formats

FORMATS = pytest.mark.parametrize("wanted", judgement_formats().values(), ids=lambda each: each.slug)
FOREIGN = [
    b"",
    b"{}",
    b"[]",
    b"[1, null, {}]",
    b'{"key": 1}\n{"key": "x"}\n',
    b"key,rater,value\n1,2,3\n",
    b"\x1f\x8b broken",
    b"\xff\xfe\x00",
    b'{"idx": 1e999, "row": NaN}',
    b"[" * 1000,
]


@FORMATS
@pytest.mark.parametrize("content", FOREIGN, ids=range(len(FOREIGN)))
def test_a_foreign_file_is_problems_and_no_fault(wanted: JudgementFormat, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "foreign.jsonl"
    path.write_bytes(content)
    found = list(wanted.read(path, name="foreign.jsonl"))
    assert found
    assert all(isinstance(each, Problem) and each.message and each.file == "foreign.jsonl" for each in found)


@FORMATS
def test_a_missing_file_is_a_problem(wanted: JudgementFormat, tmp_path: Path) -> None:
    [found] = wanted.read(tmp_path / "missing", name="missing")
    assert isinstance(found, Problem)
    assert found.line is None


@FORMATS
def test_options_have_defaults_among_their_choices(wanted: JudgementFormat) -> None:
    for option in wanted.options:
        assert wanted.complete({})[option.name] == option.default
        if not option.choices:  # any text will do
            continue
        assert option.default in option.choices
        with pytest.raises(BadOption, match=option.name):
            wanted.complete({option.name: "something else"})
    with pytest.raises(BadOption):
        wanted.complete({"no such option": "1"})


@FORMATS
def test_formats_that_bring_items_name_kinds_of_votes_or_of_pairs(wanted: JudgementFormat) -> None:
    assert bool(wanted.kinds) == wanted.of_votes
    kinds = [all_kinds()[slug] for slug in wanted.kinds]
    assert all(kind.voted or kind.holds_pairs for kind in kinds)
