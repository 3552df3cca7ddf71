import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Project, PromptVersion
from lib.texts.raw_messages import RawMessages
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
KEY = "single.explained.en"
RAW = RawMessages("mt-bench", "{{ question }}\n\n{{ answer }}", "", "Rating: [[").text()


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "raw.md"
    made.write_text(RAW + "\n", "utf-8")
    return made


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command("prompt", "fb", *arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_raw_messages_are_set_from_a_file(project: Project, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, KEY, "--file", str(file), "--note", "as trained")
    assert (found["key"], found["version"], found["shipped"], found["not_fenced"]) == (KEY, 1, False, True)
    made = PromptVersion.objects.get(project=project)
    assert (made.text, made.note, made.sha256) == (RAW, "as trained", found["sha256"])
    assert told(capsys, KEY)["text"] == RAW


def test_a_fenced_wording_is_set_from_stdin(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = told(capsys, KEY)
    assert (shipped["shipped"], shipped["not_fenced"]) == (True, False)
    monkeypatch.setattr("sys.stdin", io.StringIO(shipped["text"] + "\n\nBe brief."))
    assert told(capsys, KEY, "--file", "-")["not_fenced"] is False
    assert PromptVersion.objects.get(project=project).text.endswith("Be brief.")


def test_all_are_listed_with_what_is_in_use(project: Project, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, KEY, "--file", str(file))
    listed = {one["key"]: one for one in told(capsys)["prompts"]}
    assert listed[KEY]["not_fenced"]
    assert not listed["single.explained.zh"]["not_fenced"]
    call_command("prompt", "fb")
    assert f"{KEY}  version 1, not fenced" in capsys.readouterr().out


def test_what_is_shipped_comes_back(project: Project, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, KEY, "--file", str(file))
    assert told(capsys, KEY, "--shipped")["not_fenced"] is False


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["single.none.en"], "no prompt 'single.none.en'", 1),
        (["checklist.verdicts.en", "--file", "RAW"], "always fenced", 1),
        ([KEY, "--file", "nowhere.md"], "cannot be read", 2),
        ([KEY, "--file", "RAW", "--shipped"], "not both", 2),
        (["--file", "RAW"], "Name the prompt", 2),
    ],
)
@pytest.mark.usefixtures("project")
def test_what_cannot_be_set_is_refused(file: Path, arguments: list[str], message: str, code: int) -> None:
    with pytest.raises(CommandError, match=message) as refused:
        call_command("prompt", "fb", *[str(file) if one == "RAW" else one for one in arguments])
    assert refused.value.returncode == code
    assert not PromptVersion.objects.filter(project__isnull=False).exists()


@pytest.mark.usefixtures("project")
def test_what_the_model_does_not_see_is_a_warning(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "pairwise.explained.en", "--file", str(file))["warnings"] == [
        "The slot {{ second }} is missing: the model will not see its text."
    ]


def test_the_same_text_again_is_refused(project: Project, file: Path) -> None:
    call_command("prompt", "fb", KEY, "--file", str(file))
    with pytest.raises(CommandError, match="identical to the version in use"):
        call_command("prompt", "fb", KEY, "--file", str(file))
