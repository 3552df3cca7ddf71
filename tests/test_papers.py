"""The pages about papers are as they say: their commands run in order against the simulated model."""

from pathlib import Path

import pytest

from lib.simulated.server import serving
from scripts.guide.pages import blocks_of
from scripts.guide.running import following
from tests.support.installations import Installations

PAGE = Path(__file__).parents[1] / "docs" / "papers" / "fbi.md"
TRAINED = "http://127.0.0.1:8767/v1"  # where the page starts the simulation of a trained evaluator


@pytest.mark.slow
def test_every_command_of_the_page_about_fbi_runs(installations: Installations, tmp_path: Path) -> None:
    printed = {}
    with (
        installations.migrated("sqlite") as installation,
        following(installation, tmp_path) as follower,
        serving(profile="prometheus-2") as trained,
    ):
        for block in blocks_of(PAGE):
            commands = tuple(one.replace(TRAINED, trained.base_url) for one in block.commands)
            for command in commands:
                printed[command] = follower.run(type(block)(block.page, (command,), None))
    judged = {command: said for command, said in printed.items() if command.startswith("manage judge")}
    assert len(judged) == 21
    assert {
        command: said for command, said in judged.items() if "verdicts: 0 read" in said or " 0 failed" not in said
    } == {}
    of_trained = [said for command, said in judged.items() if "fbi-trained" in command]
    assert len(of_trained) == 3
    assert all("0 not readable" in said for said in of_trained)
    report = printed["manage report fbi blindspots"]
    assert "Explanation and score only" in report
    assert "rubric · scale=1-3 texts=generic" in report
