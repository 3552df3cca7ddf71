"""One pass over everything that a lost worker or a lost ring may have left lying."""

from annotate.services import (
    importing,
    leases,
    near_duplicates,
    queue,
    rate_limits,
    releasing,
    repeating,
    runs,
    withdrawing,
)
from annotate.services.guidelines import reopening
from annotate.services.importing import previews
from annotate.services.webhooks import queue as webhook_queue


def reconcile() -> dict[str, int]:
    """Put expired leases back, run waiting imports, write waiting releases, plan and read again, reopen stale items.

    Then erase what was withdrawn, look for near-duplicates, and go on with runs that nobody works at.

    All in this process; returns how many of each.
    """
    tidy_up()
    swept, batches, releases = queue.sweep(), importing.claimable(), releasing.claimable()
    for batch in batches:
        importing.run_uploaded(batch)
    for release in releases:
        releasing.make(release)
    passes = runs.passes_waiting()
    for task in passes:
        runs.go_over(task)
    stale = reopening.claimable()
    for task in stale:
        reopening.work(task)
    withdrawals = withdrawing.claimable()
    for withdrawal in withdrawals:
        withdrawing.work(withdrawal)
    searches = near_duplicates.claimable()
    for search in searches:
        near_duplicates.work(search)
    open_runs = set(runs.claimable())
    for run in open_runs:
        runs.drain(run)
    counts = {
        "leases": swept,
        "batches": len(batches),
        "releases": len(releases),
        "passes": len(passes),
        "reopenings": len(stale),
        "withdrawals": len(withdrawals),
        "searches": len(searches),
    }
    return {**counts, "runs": len(open_runs), "messages": webhook_queue.send_due()}


def tidy_up() -> None:
    leases.shorten()
    importing.fail_abandoned_commands()
    previews.forget_old()
    rate_limits.forget_old()
    repeating.forget_old()
    webhook_queue.forget_old()
    runs.tidy_up()
