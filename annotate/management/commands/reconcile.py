from typing import Any

from annotate.management.command import ContractCommand
from annotate.upkeep.reconciliation import reconcile


class Command(ContractCommand):
    help = "Do by hand what the worker does every few seconds, and the waiting imports and releases with it."

    def handle(self, *args: Any, **options: Any) -> None:
        counts = reconcile()
        words = (
            "Leases put back: {leases}. Imports run: {batches}. Releases written: {releases}. "
            "Runs planned or read again: {passes}. Reopenings gone on with: {reopenings}. "
            "Withdrawals gone on with: {withdrawals}. Runs taken up: {runs}. "
            "Messages tried: {messages}."
        )
        self.report(counts, as_json=options["json"], text=words.format(**counts))
