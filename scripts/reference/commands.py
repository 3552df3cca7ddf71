"""The page of the commands."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from django.core.management import load_command_class

from judging.boards.board import reports
from scripts.reference.words import page, table

ROOT = Path(__file__).resolve().parents[2]
ABOUT = (
    "Each is called as `manage.py NAME …`. All take `--json` (one JSON object on standard output) and end with 0, "
    "with 1 and a sentence on standard error, or with 2 for wrong usage."
)
# Those that every command of Django has.
USUAL = {
    "help",
    "version",
    "verbosity",
    "settings",
    "pythonpath",
    "traceback",
    "no_color",
    "force_color",
    "skip_checks",
}


def commands_page() -> str:
    found = sorted((path.stem, path.parts[-4]) for path in ROOT.glob("*/management/commands/[a-z]*.py"))
    return page("Commands", ABOUT, [*(part for name, app in found for part in _parts(name, app)), *_reports()])


def _parts(name: str, app: str) -> Iterator[str]:
    command = load_command_class(app, name)
    parser = command.create_parser("manage.py", name)
    yield f"## {name}"
    yield command.help
    shown = [one for one in parser._actions if one.dest not in USUAL | {"json"}]
    yield table(["argument", "what it does"], [(_called(one), _told(one)) for one in shown])


def _called(one: argparse.Action) -> str:
    name = one.metavar if isinstance(one.metavar, str) else one.dest.upper()
    if not one.option_strings:
        return f"`{name}{'…' if one.nargs in ('+', '*') else ''}`"
    takes = "" if one.nargs == 0 else f" {'|'.join(map(str, one.choices)) if one.choices else name}"
    return f"`{one.option_strings[-1]}{takes}`"


def _told(one: argparse.Action) -> str:
    needed = "required" if one.option_strings and one.required else ""
    return "; ".join(part for part in ((one.help or "").replace("%%", "%"), needed) if part)


def _reports() -> list[str]:
    rows = [(f"`{one.slug}`", one.about, ", ".join(one.divisions)) for one in reports().values()]
    return ["## Reports", "What `report SLUG NAME` may print.", table(["name", "about", "`--by`"], rows)]
