"""What a check of the installation says."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

State = Literal["ok", "note", "missing"]


@dataclass(frozen=True)
class Finding:
    """state: ok, note (works without it), missing (needed). remedy is empty where all is well."""

    name: str
    state: State
    found: str
    remedy: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def ok(name: str, detail: str) -> Finding:
    return Finding(name, "ok", detail)


def note(name: str, detail: str, remedy: str) -> Finding:
    return Finding(name, "note", detail, remedy)


def missing(name: str, detail: str, remedy: str) -> Finding:
    return Finding(name, "missing", detail, remedy)
