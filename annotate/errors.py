"""Exceptions of the services: one for each decision that the caller has to take."""

from annotate.kinds.shapes import Finding


class WrongState(Exception):
    """The item or slot is no longer in the state that this step starts from: somebody else was faster."""


class LeaseLost(Exception):
    """The slot is no longer held under this token: what was written is kept as the author's draft. Or another worker
    has the row of a background job: what this worker did since its last part is not stored.
    """


class StaleDraft(Exception):
    """The draft was changed elsewhere since this page was opened. `theirs` is what is stored now."""

    def __init__(self, stored_draft: dict[str, object], revision: int) -> None:
        self.theirs = stored_draft
        self.revision = revision
        super().__init__("changed in another window")


class NotReady(Exception):
    """A draft that may not be submitted yet; `findings` says where and why."""

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings
        super().__init__("; ".join(f"{finding.path} {finding.message}" for finding in findings))


class Refused(Exception):
    """A request that makes sense but is not allowed now; the message says why and what to do."""
