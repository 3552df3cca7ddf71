"""`python -m scripts.reference` writes the pages of docs/reference."""

import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("SECRET_KEY", "only-to-read-the-code")
    import django

    django.setup()
    from scripts.reference.pages import all_pages

    FOLDER.mkdir(exist_ok=True)
    for name, text in all_pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
