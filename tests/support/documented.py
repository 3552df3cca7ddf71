"""The strategy of docs/judging.md, installed as its family's folder with the prompts of the page."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import judging.strategies
from judging.strategies.strategy import Strategy, strategies
from tests.test_docs import code

FAMILY, SLUG, STEP = "marks", "one-to-ten", "mark"


@contextmanager
def documented_family(root: Path) -> Iterator[Path]:
    """root: an empty folder that becomes one more place of families. Yields the folder of this one."""
    folder = root / FAMILY
    (folder / "prompts").mkdir(parents=True)
    (folder / "__init__.py").write_text('"""One mark for everything."""\n')
    (folder / "strategies.py").write_text("\n".join(code("docs/judging.md", "python")))
    for language, text in zip(("en", "zh"), code("docs/judging.md", "markdown"), strict=True):
        (folder / "prompts" / f"{STEP}.{language}.md").write_text(text)
    places = [*judging.strategies.__path__, str(root)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging.strategies, "__path__", places)
        assert judging.strategies.__spec__ is not None
        patch.setattr(judging.strategies.__spec__, "submodule_search_locations", places)
        strategies.cache_clear()
        yield folder
    strategies.cache_clear()
    for module in [name for name in sys.modules if name.startswith(f"judging.strategies.{FAMILY}")]:
        del sys.modules[module]


def documented_strategy() -> Strategy:
    """Within `documented_family`."""
    return strategies()[SLUG]
