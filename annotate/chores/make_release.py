from annotate.engine.chores import Parts, chore
from annotate.models import Release
from annotate.notices.inbox import notify
from annotate.releases import actions


def _fail(release: Release, _error: Exception) -> None:
    """Any error would recur at every attempt; a lead can let the release be tried again."""
    Release.objects.filter(pk=release.pk, state=Release.State.WAITING).update(state=Release.State.FAILED)
    _tell(release)


def _tell(release: Release) -> None:
    notify(release.created_by, None, "released", by=None, project=release.project, note=f"v{release.version}")


@chore(actions.leases, key="releases", label="Releases written", fail=_fail, turn=2)
def make_release(release: Release) -> Parts:
    """Write a planned release."""
    yield from actions.parts(release)
    _tell(release)
