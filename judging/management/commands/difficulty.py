import argparse
import math
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from judging.services.difficulty.applying import Done, apply, dropped_items
from judging.services.difficulty.finding import Difficulty, difficulty
from judging.services.difficulty.sources import source_named
from judging.services.reports.base import Refused
from judging.services.reports.tables import table


class Command(ContractCommand):
    help = "Find accepted items that all of the weak authors solve; --apply drops them as too easy."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument(
            "--run", required=True, metavar="R", help="number of a judge run, or name of a judge (imported judgements)"
        )
        parser.add_argument("--authors", required=True, metavar="a,b,c", help="the weak ones")
        parser.add_argument("--threshold", type=_threshold, default=1.0, metavar="T", help="0 to 1; 1 where left out")
        parser.add_argument("--apply", action="store_true", help="drop them; the items page and the history say why")
        parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the sample to look at")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        authors = list(dict.fromkeys(filter(None, map(str.strip, options["authors"].split(",")))))
        try:
            source = source_named(project, options["run"].strip())
            found = difficulty(project, source, authors, options["threshold"])
        except Refused as refused:
            self.refuse(str(refused))
        done = apply(found, by=None) if options["apply"] else None
        value = {**_value(found, options["seed"]), **_what_was_done(done), "dropped_in_all": 0}
        value["dropped_in_all"] = dropped_items(project).count()
        self.report(value, as_json=options["json"], text=_text(found, done, options["seed"]))


def _threshold(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and 0 <= value <= 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0 and 1.")
    return value


def _value(found: Difficulty, seed: int) -> dict[str, Any]:
    run = found.source.run
    return {
        "items": len(found.items),
        "kept": found.kept,
        "dropped": len(found.dropped),
        "unjudged": found.unjudged,
        "by_task": {each.task: {"before": each.before, "after": each.after} for each in found.balance},
        "run": run.pk if run else None,
        "judge": str(found.source.judge),
        "authors": list(found.authors),
        "threshold": found.threshold,
        "sample": [item.key for item in found.sample(seed)],
    }


def _what_was_done(done: Done | None) -> dict[str, Any]:
    if done is None:
        return {"applied": False}
    return {"applied": True, "moved": done.count, "left_out": dict(done.left_out)}


def _text(found: Difficulty, done: Done | None, seed: int) -> str:
    rows = [
        [each.task, str(each.before), str(each.after), f"{each.share_before:.1%}", f"{each.share_after:.1%}"]
        for each in found.balance
    ]
    counts = f"{len(found.items)} items: {found.kept} kept ({found.unjudged} not fully judged)"
    told = [
        f"{found.source}, threshold {found.threshold:.2f}: {', '.join(found.authors)}",
        f"{counts}, {len(found.dropped)} too easy.",
        table(["task", "before", "after", "share before", "share after"], rows) if rows else "",
        f"To look at: {', '.join(item.key for item in found.sample(seed)) or 'nothing'}",
        _ending(done, len(found.dropped)),
    ]
    return "\n".join(filter(None, told))


def _ending(done: Done | None, count: int) -> str:
    if done is None:
        return "Nothing was dropped; --apply does it." if count else ""
    left = sum(done.left_out.values())
    return f"{done.count} dropped as too easy." + (f" {left} were changed meanwhile and stay." if left else "")
