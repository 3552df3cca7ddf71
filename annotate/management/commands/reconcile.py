from typing import Any

from annotate.engine import chores
from annotate.management.command import ContractCommand
from annotate.upkeep.reconciliation import reconcile


class Command(ContractCommand):
    help = "Run the worker's periodic tasks once, including waiting imports and releases."

    def handle(self, *args: Any, **options: Any) -> None:
        counts = reconcile()
        labels = {"leases": "Leases put back"}
        labels |= {chore.key: chore.label for chore in chores.all_chores().values()}
        labels |= {"runs": "Runs resumed", "messages": "Webhook deliveries tried"}
        text = " ".join(f"{label}: {counts[key]}." for key, label in labels.items())
        self.report(counts, as_json=options["json"], text=text)
