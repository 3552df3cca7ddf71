"""Fifty people who write, an import and a release at once on SQLite: nobody ever reads “database is locked”."""

import asyncio
import json

import pytest

from tests.faults.people import open_next, visitors
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.samples import write_samples, written
from tests.support.visitors import Visitor, together

pytestmark = [pytest.mark.slow, pytest.mark.long]

PEOPLE, IMPORTED = 50, 40_000
THINKING = 2.0  # seconds: fifty people in no hurry hand in some twenty texts a second, and leave the import its share


def test_writers_an_import_and_a_release_do_not_lock_each_other_out(installations: Installations) -> None:
    with installations.serving("sqlite", workers=2) as installation:
        everybody = visitors(installation, people=PEOPLE, items=4 * PEOPLE)
        rows = write_samples(installation.folder / "rows.jsonl", IMPORTED, brief=True)
        answers, imported, exported = together(all_at_once(installation, everybody, rows.name))
        assert set(answers) == {302}
        assert len(answers) > PEOPLE
        assert imported["kept"] == IMPORTED
        assert exported["rows"] >= 4 * PEOPLE
        assert installation.log.read_text() == ""
        assert installation.python("result = Annotation.objects.filter(outcome='annotated').count()") == len(answers)


async def all_at_once(
    installation: Installation, everybody: list[Visitor], rows: str
) -> tuple[list[int], dict[str, int], dict[str, int]]:
    """People write for as long as the import takes; meanwhile everything is exported, again and again."""
    importing = asyncio.create_task(command(installation, "import_items", "race", rows, "--no-checks"))
    exporting = asyncio.create_task(keep_exporting(installation, importing))
    answers = await asyncio.gather(*(works(visitor, importing) for visitor in everybody))
    return [status for each in answers for status in each], await importing, await exporting


async def works(visitor: Visitor, importing: asyncio.Task[dict[str, int]]) -> list[int]:
    statuses = []
    while not importing.done():
        slot, page = await open_next(visitor)
        statuses.append((await visitor.post(f"{slot}submit/", **written("While others write.", page))).status)
        await asyncio.wait([importing], timeout=THINKING)
    await visitor.leave()
    return statuses


async def keep_exporting(installation: Installation, importing: asyncio.Task[dict[str, int]]) -> dict[str, int]:
    while True:
        exported = await command(installation, "export_items", "race", "--state", "any", "--out", "release.jsonl")
        if importing.done():
            return exported


async def command(installation: Installation, *arguments: str) -> dict[str, int]:
    """What a command of manage.py reports, run in the installation's folder."""
    absolute = [str(installation.folder / each) if each.endswith(".jsonl") else each for each in arguments]
    done = await asyncio.to_thread(installation.manage, *absolute, "--json")
    return json.loads(done.stdout)
