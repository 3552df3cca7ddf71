"""`python -m scripts.guide outputs` prints what each block of the guide prints; `pictures` makes its pictures anew, and
`questions` those of docs/forms.md. Needs SECRET_KEY and DATA_DIR in the environment, as all that reads the settings.
"""

import os
import sys
import tempfile
from pathlib import Path

from scripts.guide.pages import LANGUAGES, blocks, pattern
from tests.support.installations import Installations


def main(words: list[str]) -> int:
    made_by = {"outputs": outputs, "pictures": pictures, "questions": questions}
    if len(words) != 1 or words[0] not in made_by:
        print(__doc__)
        return 2
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")  # before anything of the program is imported
    with tempfile.TemporaryDirectory() as folder:
        made_by[words[0]](Installations(Path(folder)), Path(folder))
    return 0


def outputs(made: Installations, folder: Path) -> None:
    from scripts.guide.running import following

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


def questions(made: Installations, folder: Path) -> None:
    from scripts.guide.question_types import make_question_pictures

    make_question_pictures(made, folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
