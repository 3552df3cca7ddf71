from pathlib import Path

import pytest

from tests.support.installation import ROOT

NAV, HEAD = '{% include "judging/_nav.html"', '<header class="page__head">'


def pages() -> list[Path]:
    return [path for path in sorted((ROOT / "templates").rglob("*.html")) if NAV in path.read_text("utf-8")]


@pytest.mark.parametrize("path", pages(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_way_between_pages_of_judging_stands_in_one_place_above_their_titles(path: Path) -> None:
    html = path.read_text("utf-8")
    assert html.index(NAV) < html.index(HEAD)
    assert html.count(NAV) == 1
