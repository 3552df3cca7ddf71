"""Rows and files for tests of imports and releases."""

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command

from annotate.models import Project
from tests.support.people import DRAFT, FACTS


def row(no: int = 1, **changes: Any) -> dict[str, Any]:
    """A whole native row; each number asks another question."""
    return {"key": f"row-{no}", **FACTS, "user_query": f"How many moons has planet {no}?", **DRAFT, **changes}


def facts_only(no: int = 1, **changes: Any) -> dict[str, Any]:
    return {"key": f"row-{no}", **FACTS, "user_query": f"How many moons has planet {no}?", **changes}


def without(given: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in names}


def jsonl(rows: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in rows)


def parquet(rows: list[dict[str, Any]]) -> bytes:
    """The rows as pyarrow writes them, with the types that it infers."""
    import pyarrow
    from pyarrow.parquet import write_table

    file = io.BytesIO()
    write_table(pyarrow.Table.from_pylist(rows), file)
    return file.getvalue()


def write_rows(path: Path, rows: Iterable[Any]) -> Path:
    path.write_bytes(jsonl(rows))
    return path


def command(name: str, *words: object) -> tuple[int, dict[str, Any], str]:
    """(exit code, the JSON on stdout, stderr) of a command that is called with --json."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command(name, *map(str, words), "--json", stdout=out, stderr=err)
    except SystemExit as left:
        code = int(left.code or 0)
    except CommandError as refused:
        code = refused.returncode
        err.write(str(refused))
    return code, json.loads(out.getvalue() or "{}"), err.getvalue()


def imported(project: Project, path: Path, *words: object) -> dict[str, Any]:
    """The report of importing one file, whatever the exit code."""
    return command("import_items", project.slug, path, *words)[1]


def bring(project: Project, folder: Path, *rows: Any, words: tuple[str, ...] = ()) -> dict[str, Any]:
    """The report of importing these rows."""
    return imported(project, write_rows(folder / "rows.jsonl", rows), *words)


def messages(report: dict[str, Any]) -> list[str]:
    return [problem["message"] for problem in report["problems"]]
