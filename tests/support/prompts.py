"""A fixture kind's folder of prompts, in place of those that are shipped."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.engine import prompt_files

TEXTS = {
    "checklist.en": "Question: {{ user_query }}\n\nWrite a checklist.",
    "checklist.zh": "问题：{{ user_query }}\n\n请写检查清单。",
    "reference.en": "Answer this:\n\n{{ user_query }}\n\nFirst answer: {{ first_response }}",
}


class PromptFolder:
    """The prompts of the kind `feedback`, as files that a test may change."""

    def __init__(self, root: Path) -> None:
        self.path = root / "feedback" / "prompts"
        self.path.mkdir(parents=True)
        for name, text in TEXTS.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        (self.path / f"{name}.md").write_text(text + "\n", "utf-8")

    def remove(self, name: str) -> None:
        (self.path / f"{name}.md").unlink()


@pytest.fixture
def prompt_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PromptFolder:
    def folders(scope: str) -> Iterator[Any]:
        yield tmp_path / scope / "prompts"

    monkeypatch.setattr(prompt_files, "folders", folders)
    return PromptFolder(tmp_path)
