"""`python -m scripts.guide outputs` prints what each block of the guide prints; `pictures` makes its pictures anew."""

import sys
import tempfile
from pathlib import Path

from scripts.guide.pages import LANGUAGES, blocks, pattern
from scripts.guide.running import following
from tests.support.installations import Installations


def main(words: list[str]) -> int:
    if words not in (["outputs"], ["pictures"]):
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        made = Installations(Path(folder))
        {"outputs": outputs, "pictures": pictures}[words[0]](made, Path(folder))
    return 0


def outputs(made: Installations, folder: Path) -> None:
    (folder / "typing").mkdir()
    with made.migrated("sqlite") as installation, following(installation, folder / "typing") as follower:
        for block in blocks(LANGUAGES[0]):
            print(f"## {block.page}", *block.commands, "", sep="\n")
            said = follower.run(block)
            fits = (
                ""
                if block.shown is None
                else f"   [{'as' if pattern(block.shown).fullmatch(said) else 'NOT as'} shown]"
            )
            print(said + fits, flush=True)


def pictures(made: Installations, folder: Path) -> None:
    from scripts.guide.pictures import make_all  # it needs a browser

    make_all(made, folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
