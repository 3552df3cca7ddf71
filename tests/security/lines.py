"""The matrix as data."""

from dataclasses import dataclass

from annotate.models import Project
from judging.boards.board import Board, boards
from judging.boards.frame import frame_urls
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


# What a board declares is what its addresses must do; a line of the table about one of them is an exception.
BOARD_RULES = {
    # address: anonymous  stranger  viewer  annotator  reviewer  lead  staff
    "names_authors": "sign-in  404  ok   403  ok   ok   404",
    "shows_agreement": "sign-in  404  ok   403  403  ok   404",  # a reviewer of the world may vote in an open study
    "does not suit": "sign-in  404  404  403  404  404  404",
    "units": "sign-in  404  404  403  404  404  404",  # without the key of a number
}


def board_lines() -> list[Line]:
    """A line for each address that the frame of boards serves, in the world's project, which is of feedback."""
    project = Project(kind_slug="feedback")
    return [
        Line(
            str(pattern.name),
            "GET",
            dict(zip(ROLES, _rule(board, str(pattern.name), project).split(), strict=True)),
            "",
        )
        for board in boards().values()
        for pattern in frame_urls(board)
    ]


def _rule(board: Board, name: str, project: Project) -> str:
    if not board.suits(project):
        return BOARD_RULES["does not suit"]
    if name == f"{board.slug}_units":
        return BOARD_RULES["units"]
    assert board.names_authors or board.shows_agreement, (
        f"{board.slug}: a board says what must not be seen while voting"
    )
    return BOARD_RULES["shows_agreement" if board.shows_agreement else "names_authors"]


TABLE_LINES = read()
LINES = [*TABLE_LINES, *(line for line in board_lines() if line.address not in {row.address for row in TABLE_LINES})]
LISTED = {(line.address, line.method) for line in LINES}
WHAT = {line.address: line.what for line in LINES}
