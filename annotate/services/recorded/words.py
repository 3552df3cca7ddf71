"""What each column that names a person stands for, in plain words. A test asks for words for every one there is."""

from django.utils.translation import gettext_lazy as _

WORDS = {
    "annotate.user.id": _("Your account: name, e-mail, appearance, language, own keys, last sign-in"),
    # --- work ---------------------------------------------------------------------------------------------------------
    "annotate.annotation.author": _("Texts and decisions that you wrote, with their time at work and the guidelines"),
    "annotate.slot.holder": _("Pieces of work that you have, or had, in hand"),
    "annotate.slot.reserved_for": _("Pieces of work that are kept for you"),
    "annotate.skip.person": _("Items that you skipped, with the reason"),
    "annotate.comment.author": _("Comments that you wrote"),
    "annotate.comment.resolved_by": _("Comments that you resolved"),
    "annotate.event.actor": _("Lines of items' histories about what you did"),
    "annotate.dispute.decided_by": _("Disputes that you decided"),
    "annotate.precedent.asked_by": _("Questions about the guidelines that you asked"),
    "annotate.precedent.ruled_by": _("Questions about the guidelines that you ruled on"),
    "annotate.precedentevent.actor": _("Lines of the histories of rulings about what you did"),
    "annotate.reopening.created_by": _("Reopenings of items that you asked for after a change of the guidelines"),
    "judging.explanationlabel.person": _("Checks of what a model read in explanations of judges"),
    # --- belonging ----------------------------------------------------------------------------------------------------
    "annotate.member.user": _("Your places in projects: role, limits, groups, whether you are paused and why"),
    "annotate.invitation.created_by": _("Invitations that you made"),
    "annotate.invitation.accepted_by": _("Invitations that you accepted"),
    "annotate.notification.user": _("Lines in your inbox"),
    "annotate.notification.actor": _("Lines in other people's inboxes about what you did"),
    # --- leading ------------------------------------------------------------------------------------------------------
    "annotate.project.paused_by": _("Projects that you paused"),
    "annotate.guideline.author": _("Versions of guidelines that you wrote"),
    "annotate.batch.created_by": _("Imports that you made"),
    "annotate.release.created_by": _("Releases that you made"),
    "annotate.survey.created_by": _("Surveys that you set up"),
    "annotate.alikesearch.asked_by": _("Searches for near-duplicates that you asked for"),
    "annotate.alikepair.decided_by": _("What you decided about near-duplicates"),
    "annotate.sample.created_by": _("Samples of accepted items that you drew"),
    "annotate.endpoint.created_by": _("Endpoints of models that you approved"),
    "annotate.promptversion.author": _("Versions of prompts that you wrote"),
    "annotate.run.created_by": _("Runs of models that you planned"),
    "annotate.run.started_by": _("Runs of models that you started"),
    "annotate.pass.created_by": _("Passes over stored replies that you asked for"),
    "annotate.apitoken.created_by": _("Tokens for programs that you made, without what would let a program in"),
    "annotate.webhook.created_by": _("Addresses that you had told of what happens in a project, without their secrets"),
    "judging.study.created_by": _("Studies of votes that you drew"),
    "judging.savedview.owner": _("Views of reports that you saved"),
    # --- signing in ---------------------------------------------------------------------------------------------------
    "account.emailaddress.user": _("E-mail addresses of your account"),
    "mfa.authenticator.user": _("Second steps at sign-in that you set up, without what they work with"),
    "axes.accessattempt.username": _("Failed tries to sign in with your name, with address and program"),
    "axes.accessattemptexpiration.username": _("When failed tries to sign in are forgotten"),
    "axes.accesslog.username": _("Sign-ins and sign-outs with your name, with address and program"),
    "axes.accessfailurelog.username": _("Further failed tries to sign in with your name"),
}
