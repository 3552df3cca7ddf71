"""What the documents say is so: variables, commands, links, examples."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.http import QueryDict

from annotate.kinds import find_kind
from annotate.kinds.protocol import Prompts
from annotate.kinds.shapes import Finding
from tests.support.running import run
from tests.support.scripted import Script

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(ROOT.glob("docs/**/*.md"))]
README = (ROOT / "README.md").read_text()
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def code(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        path, _hash, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", found.read_text(), re.MULTILINE)
            assert anchor in {heading.lower().replace(" ", "-") for heading in headings}, target


def test_the_readme_lists_every_variable_that_settings_read() -> None:
    source = "".join((ROOT / "config" / name).read_text() for name in ("settings.py", "environment.py"))
    read = set(re.findall(r'(?:env\.\w+|whole_number|log_level|log_format|origins)\(\s*"([A-Z_]+)"', source))
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", README, re.MULTILINE))
    assert listed == read | {"DEMO_PASSWORD", "MODEL_PORT", "WEB_CONCURRENCY"}


def test_the_readme_lists_every_command() -> None:
    commands = {path.stem for path in ROOT.glob("*/management/commands/[a-z]*.py")}
    table = README[README.index("## Commands") : README.index("## Configuration")]
    assert set(re.findall(r"`([a-z_]+)[ `]", table)) >= commands


def test_every_file_that_a_command_of_the_readme_imports_exists() -> None:
    files = re.findall(r"^manage import_items \S+ (\S+)", README, re.MULTILINE)
    assert files
    assert [name for name in files if not (ROOT / name).is_file()] == []


def test_the_example_row_of_the_guide_is_one_that_import_takes() -> None:
    kind = find_kind("feedback")
    native = kind.read_row(json.loads(code("docs/guide.md", "json")[0]))
    facts = kind.read_facts(native.facts)
    suggested = {name: native.suggestion[name] for name in native.suggestion if name in kind.draft_names}
    assert kind.problems(facts, kind.read_draft(suggested), kind.options()) == []


def test_the_walk_through_makes_a_kind_that_works() -> None:
    names: dict[str, Any] = {}
    exec("\n".join(code("docs/kinds.md", "python")), names)
    kind = names["KIND"]
    rows = [kind.read_row(json.loads(line)) for line in code("docs/kinds.md", "json")[0].splitlines()]
    facts, options = kind.read_facts(rows[0].facts), kind.options()
    assert [found.path for found in kind.problems(facts, kind.read_draft(kind.empty_draft(facts)), options)] == [
        "stars"
    ]
    posted = kind.read_form(QueryDict("stars=4&reason=short"), facts)
    assert kind.problems(facts, kind.read_draft(posted), options) == []
    assert rows[1].draft == {"stars": 5, "reason": "kind and short"}
    prompts = Prompts({("stars", "en"): "How many stars is this worth? {{ sentence }}"})
    script = Script({"stars": {"stars": 7, "reason": "kind"}})
    suggested = run(kind.preannotate(facts, options, prompts, script, language="en"))
    assert facts.sentence in script.said("stars")
    assert [Finding.stored(doubt.as_json()).message for doubt in suggested.doubts] == ["the model gave 7 stars."]


@pytest.mark.parametrize("unit", sorted(ROOT.glob("docs/deploy/*.service")), ids=lambda unit: unit.stem)
def test_units_run_the_commands_of_the_supervisor(unit: Path) -> None:
    """Both lists name the same programs; only numbers and addresses may differ."""
    supervised = (ROOT / "config" / "supervisord.conf").read_text()
    command = re.search(r"^ExecStart=\S*/bin/(.*)$", unit.read_text(), re.MULTILINE)
    assert command
    words = [word for word in command[1].split() if not re.search(r"\d", word)]
    assert any(all(word in line for word in words) for line in supervised.splitlines() if line.startswith("command"))
