from annotate.engine.chores import Parts, chore
from annotate.intake import duplicate_search
from annotate.models import AlikeSearch


@chore(duplicate_search.leases, key="searches", label="Projects searched for near-duplicates", turn=6)
def find_alike(alike_search: AlikeSearch) -> Parts:
    """Look for items of a project that ask nearly the same."""
    yield from duplicate_search.search(alike_search)
