from typing import Any

from annotate.engine import chores
from annotate.management.command import ContractCommand
from annotate.upkeep.reconciliation import reconcile


class Command(ContractCommand):
    help = "Do by hand what the worker does every few seconds, and the waiting imports and releases with it."

    def handle(self, *args: Any, **options: Any) -> None:
        counts = reconcile()
        labels = {"leases": "Leases put back"}
        labels |= {chore.key: chore.label for chore in chores.all_chores().values()}
        labels |= {"runs": "Runs taken up", "messages": "Messages tried"}
        text = " ".join(f"{label}: {counts[key]}." for key, label in labels.items())
        self.report(counts, as_json=options["json"], text=text)
