"""Compile what is out of date in locale/*/LC_MESSAGES/*.po; with Babel, so that no gettext has to be installed."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    for source in sorted(ROOT.glob("locale/*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
            compile_one(source, target)


def compile_one(source: Path, target: Path) -> None:
    from babel.messages.mofile import write_mo  # here: it takes time, and mostly nothing is out of date
    from babel.messages.pofile import read_po

    with source.open("rb") as file:
        catalog = read_po(file)
    with target.open("wb") as file:
        write_mo(file, catalog)


if __name__ == "__main__":
    main()
