"""The command `convert_definition`: from and to other tools, with what has no counterpart on stderr or in its JSON."""

from pathlib import Path

import pytest
from django.core.management import call_command

from annotate.definitions.templates import all_templates
from annotate.kinds.questions.definition import read_definition
from tests.support.files import command

FIXTURE = Path(__file__).parents[3] / "fixtures" / "tools" / "label_studio.xml"


def test_a_configuration_becomes_a_definition_with_its_leftovers(capsys: pytest.CaptureFixture[str]) -> None:
    code, report, _err = command("convert_definition", FIXTURE, "--from", "label_studio")
    assert (code, report["from"], report["to"], report["whole"]) == (0, "label_studio", "form", False)
    assert "tone" in read_definition(report["definition"]).by_name
    assert {"sort": "missing", "line": 7, "place": "video photo", "message": "what it shows has no counterpart."} in (
        report["leftovers"]
    )
    call_command("convert_definition", str(FIXTURE), "--from", "label_studio")
    out, err = capsys.readouterr()
    assert out.startswith("show:\n")
    assert "missing: line 7, video photo: what it shows has no counterpart.\n" in err


def test_a_definition_becomes_a_configuration(tmp_path: Path) -> None:
    source, target = tmp_path / "mqm.yaml", tmp_path / "mqm.xml"
    source.write_text(all_templates()["mqm"].definition, encoding="utf-8")
    code, report, _err = command("convert_definition", source, "--to", "label_studio", "--out", target)
    assert (code, report["whole"]) == (0, False)
    assert target.read_text(encoding="utf-8") == report["definition"]
    assert report["definition"].startswith("<View>\n")


@pytest.mark.parametrize(
    ("text", "words", "code", "said"),
    [
        ("<View/>", ("--from", "label_studio"), 1, "no column can be shown"),
        ("<!DOCTYPE x><View/>", ("--from", "label_studio"), 1, "line 1: A document type"),
        ("show: []", ("--to", "label_studio"), 1, "The definition has faults: line 1"),
        ("x", (), 2, "Name the other tool"),
        (None, ("--to", "label_studio"), 1, "cannot be read"),
    ],
)
def test_what_cannot_be_converted_is_refused(
    text: str | None, words: tuple[str, ...], code: int, said: str, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / "given").write_text(text, encoding="utf-8")
    left, report, err = command("convert_definition", tmp_path / "given", *words)
    assert (left, report) == (code, {})
    assert said in err
