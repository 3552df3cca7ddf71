"""What would be on the disk after a power cut: which files and folders were synced, and when."""

import os
from pathlib import Path
from typing import Any

import pytest


class Disk:
    """Follows fsync and renaming. `unsynced` names whatever was renamed too early, or never synced in its folder."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.synced: set[str] = set()
        self.moved: list[Path] = []
        self.too_early: list[str] = []
        self._fsync = os.fsync
        monkeypatch.setattr(os, "fsync", self._record)
        for name in ("rename", "replace"):
            monkeypatch.setattr(os, name, self._recording(getattr(os, name)))

    def _record(self, file: int) -> None:
        self._fsync(file)
        self.synced.add(str(Path(f"/proc/self/fd/{file}").readlink()))

    def _recording(self, rename: Any) -> Any:
        def recorded(source: Any, target: Any, **options: Any) -> None:
            if not self.holds(source):
                self.too_early.append(str(source))
            rename(source, target, **options)
            self.synced.discard(os.path.realpath(Path(target).parent))
            self.moved.append(Path(target))

        return recorded

    def holds(self, path: Path | str) -> bool:
        return os.path.realpath(path) in self.synced

    @property
    def unsynced(self) -> list[str]:
        return [*self.too_early, *(str(path) for path in self.moved if not self.holds(path.parent))]
