from annotate.engine.chores import Parts, chore
from annotate.items import search_index
from annotate.models import SearchIndex

SECONDS = 25.0  # so that other jobs have their turn


@chore(search_index.leases, key="indexes", label="Projects indexed for search", seconds=SECONDS, turn=7)
def index_items(index: SearchIndex) -> Parts:
    """Make new and changed items of a project searchable."""
    yield from search_index.parts(index)
