"""What the entries of the audit trail are called on pages. Other apps add theirs in `AUDIT_VERBS` of their hooks."""

from collections.abc import Mapping
from functools import cache

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.engine.discovery import hooks

VERBS: Mapping[str, Promise] = {
    "account.created": _("account created"),
    "api_token.created": _("API token created"),
    "api_token.revoked": _("API token revoked"),
    "definition.written": _("questions saved"),
    "dispute.decided": _("dispute decided"),
    "duplicates.decided": _("decided on near-duplicates"),
    "duplicates.searched": _("near-duplicates searched"),
    "endpoint.changed": _("endpoint changed"),
    "endpoint.created": _("endpoint created"),
    "endpoint.forgot": _("detected capabilities cleared"),
    "endpoint.retired": _("endpoint retired"),
    "endpoint.returned": _("endpoint brought back"),
    "endpoint.tested": _("endpoint tested"),
    "files.added": _("files added"),
    "files.removed": _("files removed that no item names"),
    "guideline.written": _("guidelines saved"),
    "import.changed": _("import settings changed"),
    "import.confirmed": _("import confirmed"),
    "import.discarded": _("upload discarded"),
    "import.started": _("import started"),
    "import.uploaded": _("file uploaded"),
    "invitation.created": _("invitation created"),
    "invitation.revoked": _("invitation revoked"),
    "item.decided": _("item decided by a lead"),
    "item.marked": _("purpose of an item changed"),
    "item.released": _("item taken back from its holder"),
    "items.changed": _("bulk action on items"),
    "member.added": _("member added"),
    "member.changed": _("member changed"),
    "member.joined": _("joined by invitation"),
    "member.removed": _("member removed"),
    "password.set": _("password set by a command"),
    "project.changed": _("settings changed"),
    "project.created": _("project created"),
    "project.paused": _("project paused"),
    "project.resumed": _("project resumed"),
    "prompt.adopted": _("prompt version put into use"),
    "prompt.written": _("prompt version saved"),
    "ratings.imported": _("ratings imported"),
    "read.backup": _("backup written"),
    "read.export": _("release exported by a command"),
    "read.file": _("file downloaded"),
    "read.password_link": _("password link created"),
    "readiness.asked_again": _("asked to calibrate again"),
    "readiness.changed": _("calibration and checks changed"),
    "readiness.let_in": _("let in without calibration"),
    "readiness.pause_ended": _("pause of a member ended"),
    "release.planned": _("release planned"),
    "release.retried": _("release retried"),
    "release.withdrawn": _("release withdrawn"),
    "reopening.begun": _("stale items reopened"),
    "reopening.taken_back": _("reopening taken back"),
    "ruling.changed": _("ruling changed"),
    "ruling.question_opened": _("question read after giving up its item"),
    "ruling.ruled": _("ruling given"),
    "ruling.withdrawn": _("ruling withdrawn"),
    "run.budget_raised": _("budget of a run raised"),
    "run.cancelled": _("run cancelled"),
    "run.discarded": _("planned run discarded"),
    "run.paused": _("run paused"),
    "run.planned": _("run planned"),
    "run.reparsed": _("replies of a run parsed again"),
    "run.resumed": _("run resumed"),
    "run.retried": _("failed jobs retried"),
    "run.started": _("run started"),
    "sample.drawn": _("sample drawn"),
    "sample.widened": _("whole batch sent to review"),
    "survey.changed": _("survey questions changed"),
    "survey.switched": _("survey opened or closed"),
    "view.deleted": _("shared view deleted"),
    "view.shared": _("view shared"),
    "webhook.created": _("webhook created"),
    "webhook.removed": _("webhook removed"),
    "webhook.repeated": _("webhook message sent again"),
    "webhook.switched": _("webhook turned on or off"),
    "webhook.tested": _("webhook tested"),
}


@cache
def all_verbs() -> Mapping[str, Promise]:
    """verb -> its words, in the order of the verbs, of all installed apps."""
    verbs = {**VERBS}
    for others in hooks("AUDIT_VERBS"):
        verbs |= others
    return dict(sorted(verbs.items()))


def words(verb: str) -> str:
    """What people read; the verb itself where an older version wrote it."""
    return str(all_verbs().get(verb, verb))
