"""What was found when a file was held against its manifest."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

LISTED = 100


@dataclass
class Verified:
    """differences: what is not as the manifest says, at most a hundred; empty if all is."""

    rows: int = 0
    sha256: str = ""
    differences: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not self.differences

    def differs(self, message: str) -> None:
        if len(self.differences) < LISTED:
            self.differences.append(message)

    def as_json(self) -> dict[str, Any]:
        return {"ok": self.holds, "rows": self.rows, "sha256": self.sha256, "differences": self.differences}


def place(line: int | None, path: str, message: str) -> str:
    where = _("Line %(line)s") % {"line": line} if line else _("File")
    return f"{where}, {path}: {message}" if path else f"{where}: {message}"
