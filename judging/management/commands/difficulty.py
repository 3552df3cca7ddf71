import argparse
import math
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from judging.boards.difficulty.numbers import AppliedFilter, Difficulty, apply, difficulty, dropped_items, source_named
from judging.boards.report import Refused, table


class Command(ContractCommand):
    help = "Find accepted items that all weak models solve; --apply drops them as too easy."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument(
            "--run",
            required=True,
            metavar="R",
            help="number of a judging run, or name of a judge (imported judgements)",
        )
        parser.add_argument("--authors", required=True, metavar="a,b,c", help="the weak models")
        parser.add_argument("--threshold", type=_threshold, default=1.0, metavar="T", help="0 to 1; default: 1")
        parser.add_argument(
            "--apply", action="store_true", help="drop them; the reason is shown on the items page and in the history"
        )
        parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the sample for review")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        authors = list(dict.fromkeys(filter(None, map(str.strip, options["authors"].split(",")))))
        try:
            source = source_named(project, options["run"].strip())
            report = difficulty(project, source, authors, options["threshold"])
        except Refused as refused:
            self.refuse(str(refused))
        change = apply(report, by=None) if options["apply"] else None
        value = {**_value(report, options["seed"]), **_what_was_done(change), "dropped_in_all": 0}
        value["dropped_in_all"] = dropped_items(project).count()
        self.report(value, as_json=options["json"], text=_text(report, change, options["seed"]))


def _threshold(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and 0 <= value <= 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0 and 1.")
    return value


def _value(report: Difficulty, seed: int) -> dict[str, Any]:
    run = report.source.run
    return {
        "items": len(report.items),
        "kept": report.kept,
        "dropped": len(report.dropped),
        "unjudged": report.unjudged,
        "by_task": {task_row.task: {"before": task_row.before, "after": task_row.after} for task_row in report.balance},
        "run": run.pk if run else None,
        "judge": str(report.source.judge),
        "authors": list(report.authors),
        "threshold": report.threshold,
        "sample": [item.key for item in report.sample(seed)],
    }


def _what_was_done(change: AppliedFilter | None) -> dict[str, Any]:
    if change is None:
        return {"applied": False}
    return {"applied": True, "moved": change.count, "left_out": dict(change.left_out)}


def _text(report: Difficulty, change: AppliedFilter | None, seed: int) -> str:
    rows = [
        [
            task_row.task,
            str(task_row.before),
            str(task_row.after),
            f"{task_row.share_before:.1%}",
            f"{task_row.share_after:.1%}",
        ]
        for task_row in report.balance
    ]
    counts = f"{len(report.items)} items: {report.kept} kept ({report.unjudged} not fully judged)"
    lines = [
        f"{report.source}, threshold {report.threshold:.2f}: {', '.join(report.authors)}",
        f"{counts}, {len(report.dropped)} too easy.",
        table(["task", "before", "after", "share before", "share after"], rows) if rows else "",
        f"Sample for review: {', '.join(item.key for item in report.sample(seed)) or 'none'}",
        _ending(change, len(report.dropped)),
    ]
    return "\n".join(filter(None, lines))


def _ending(change: AppliedFilter | None, count: int) -> str:
    if change is None:
        return "Nothing was dropped; use --apply to drop them." if count else ""
    left_count = sum(change.left_out.values())
    return f"{change.count} dropped as too easy." + (
        f" {left_count} were changed in the meantime and were left as they are." if left_count else ""
    )
