"""One pass over everything that a lost worker or a lost ring may have left lying."""

from annotate.services import importing, importing_previews, queue, releasing, repeating, webhook_queue


def reconcile() -> dict[str, int]:
    """Put expired leases back, run waiting imports and write waiting releases in this process; returns how many."""
    tidy_up()
    leases, batches, releases = queue.sweep(), importing.claimable(), releasing.claimable()
    for batch in batches:
        importing.run_uploaded(batch)
    for release in releases:
        releasing.make(release)
    return {"leases": leases, "batches": len(batches), "releases": len(releases), "messages": webhook_queue.send_due()}


def tidy_up() -> None:
    importing.fail_abandoned_commands()
    importing_previews.forget_old()
    repeating.forget_old()
    webhook_queue.forget_old()
