from annotate.engine.chores import Parts, chore
from annotate.models import Digest
from annotate.notices import digests


@chore(digests.leases, key="digests", label="Digests sent", fail=digests.fail)
def send_digest(digest: Digest) -> Parts:
    """Send one mail about what somebody has not read yet."""
    yield from digests.parts(digest)
