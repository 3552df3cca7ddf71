from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def media_folder(tmp_path: Path, settings: Any) -> Path:
    """Where files of rows are stored in this test."""
    folder = tmp_path / "media"
    media = {"BACKEND": "annotate.media.storage.DurableStorage", "OPTIONS": {"location": folder}}
    settings.STORAGES = {**settings.STORAGES, "media": media}
    return folder
