"""Each page of the reference: name of its file -> its text."""

from django.utils.translation import override

from scripts.reference import commands, kinds, metrics
from scripts.reference.files import formats_page
from scripts.reference.strategies import strategies_page
from scripts.reference.words import page, table

ABOUT = {
    "kinds.md": "kinds of work: facts, drafts, options, and what models do",
    "strategies.md": "judging strategies and their options",
    "formats.md": "formats of files: items, and judgements of others",
    "metrics.md": "measures: what each gives, shapes, missing values, sources",
    "commands.md": "commands of `manage.py` with all their options, and the reports",
}


def all_pages() -> dict[str, str]:
    with override("en"):
        return {
            "README.md": _index(),
            "kinds.md": kinds.kinds_page(),
            "strategies.md": strategies_page(),
            "formats.md": formats_page(),
            "metrics.md": metrics.metrics_page(),
            "commands.md": commands.commands_page(),
        }


def _index() -> str:
    rows = [(f"[{name.removesuffix('.md').capitalize()}]({name})", about) for name, about in ABOUT.items()]
    about = "Generated from the code by `make reference`. A test fails if a page is older than the code."
    return page("Reference", about, [table(["page", "about"], rows)])
