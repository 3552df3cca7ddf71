from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Limits

Outcome = tuple[list[ImportRow], list[Problem]]
Read = Callable[..., Outcome]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads bytes as a file of the named format: (rows, problems)."""

    def read_bytes(
        content: bytes, slug: str = "jsonl", *, limits: Limits | None = None, options: dict[str, str] | None = None
    ) -> Outcome:
        path = tmp_path / "given"
        path.write_bytes(content)
        found = list(find_format(slug).read(path, name="given", limits=limits, options=options))
        return [each for each in found if isinstance(each, ImportRow)], [
            each for each in found if isinstance(each, Problem)
        ]

    return read_bytes
