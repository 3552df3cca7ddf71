"""The matrix as data."""

from dataclasses import dataclass

from tests.security import matrix_programs
from tests.security.matrix import ROLES, TABLE


@dataclass(frozen=True)
class Line:
    address: str
    method: str
    expected: dict[str, str]
    what: str

    def __str__(self) -> str:
        return f"{self.method}-{self.address}"

    @property
    def is_for_programs(self) -> bool:
        """Answered to a token, whatever session comes with it."""
        return self.expected["anonymous"] == "401"


def read() -> list[Line]:
    header, *rows = [
        row for row in (TABLE + matrix_programs.TABLE).splitlines() if row.strip() and not row.startswith("#")
    ]
    assert header.split() == ["address", "method", *ROLES, "object"]
    return [_line(row) for row in rows]


def _line(row: str) -> Line:
    address, method, *rest = row.split(maxsplit=2 + len(ROLES))
    what = rest[len(ROLES)].strip() if len(rest) > len(ROLES) else ""
    return Line(address, method, dict(zip(ROLES, rest, strict=False)), what)


LINES = read()
LISTED = {(line.address, line.method) for line in LINES}
WHAT = {line.address: line.what for line in LINES}
