"""The files in static/vendor are exactly those of the list, byte for byte."""

import hashlib
import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "static" / "vendor"
PACKAGES = tomllib.loads((FOLDER / "VENDORED.toml").read_text())["package"]
LISTED = {file["path"]: file["sha256"] for package in PACKAGES for file in package["files"]}


@pytest.mark.parametrize("path", sorted(LISTED))
def test_a_vendored_file_matches_its_checksum(path: str) -> None:
    assert hashlib.sha256((FOLDER / path).read_bytes()).hexdigest() == LISTED[path]


def test_no_file_is_unlisted() -> None:
    present = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*") if path.is_file()}
    assert present - {"VENDORED.toml"} == set(LISTED)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_each_package_names_its_version_and_brings_its_licence_text(package: dict[str, object]) -> None:
    assert package["version"]
    assert package["licence"]
    assert any(file["path"].endswith("/LICENSE") for file in package["files"])  # type: ignore[attr-defined]
