"""Failures for people: the engine's stored details in the reader's language, without names of keys; and why a run
paused.

The ledger keeps one English sentence for each failure, which may contain words of a service or of a model. Here each
sentence that this program writes has its translation; other text is shown unchanged, as somebody else's words.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate.kinds.protocol import Cause
from annotate.models import Run


@dataclass(frozen=True)
class FailureText:
    """sentence: our own; "" if there is none. words: what a service or a model said, unchanged; "" for nothing."""

    sentence: str
    words: str = ""


# A pattern for each sentence; its named groups are placeholders of the translation. `words` are not ours and follow it.
SENTENCES: Mapping[str, Promise] = {
    r"The environment variable \S+ is not set where the worker runs\.": gettext_lazy(
        "This endpoint's key is not set where the worker runs. An administrator can set it."
    ),
    r"The environment variable \S+ holds characters that no key has\.": gettext_lazy(
        "This endpoint's key contains invalid characters. An administrator can fix it."
    ),
    r"No (?:whole )?reply within (?P<n>\d+) seconds\.": gettext_lazy(
        "The service did not send a complete reply within %(n)s seconds."
    ),
    r"The reply is larger than (?P<n>\d+) bytes\.": gettext_lazy(
        "The response is larger than %(n)s bytes and was not kept."
    ),
    r"The base URL is not an address\.": gettext_lazy("The base URL of the endpoint is not a valid address."),
    r"What answers there does not speak HTTP\.": gettext_lazy("Something answers there, but not a web service."),
    r"The address redirects to (?P<words>.*); redirects are not followed\.": gettext_lazy(
        "The service has moved; redirects are not followed. It points to:"
    ),
    r"Status (?P<n>\d+) with (?P<words>.*) and no JSON object\.": gettext_lazy(
        "The response (status %(n)s) is not from a model service. It contains:"
    ),
    r"Status (?P<n>\d+): (?P<words>.*)": gettext_lazy("The service refused the request with status %(n)s and said:"),
    r"(?:JSON without `choices`|A choice without `message`|`content` is no text)\.": gettext_lazy(
        "The response lacks parts that a model service sends; the reply below shows what came."
    ),
    r"The service sent no choices\.": gettext_lazy("The response contains no reply."),
    r"The reply is empty\.": gettext_lazy("The reply of the model is empty."),
    r"A content filter stopped the reply\.": gettext_lazy("The service's content filter stopped the reply."),
    r"The reply was cut off at the limit of tokens\.": gettext_lazy("The reply was cut off at the token limit."),
    r"No JSON in the reply, which begins: (?P<words>.*)": gettext_lazy(
        "JSON was requested, but the reply contains none. It begins:"
    ),
    r"(?P<n>\d+) objects of the right shape, and they differ\.": gettext_lazy(
        "The reply contains %(n)s valid answers that differ; none was used."
    ),
    r"What it was about is not there any more\.": gettext_lazy("The item no longer exists."),
    r"Could not be loaded; the log says why\.": gettext_lazy(
        "The data of the job could not be loaded. See the worker's log; please report it."
    ),
    r"A fault in this program; its log says more\.": gettext_lazy(
        "This is a bug in Touchstone. See the worker's log; please report it."
    ),
    r"What came out could not be stored; the log says why\.": gettext_lazy(
        "The replies were read but could not be stored. See the worker's log; please report it."
    ),
    r"(?P<n>\d+) workers ended while they were at it\.": gettext_lazy(
        "%(n)s workers crashed on it, so it is not retried automatically."
    ),
    r"The budget of (?P<n>[\d.]+) USD is used up\.": gettext_lazy("The budget of $%(n)s is used up."),
    r"The budget of (?P<n>[\d.]+) USD is used up\. The next call may cost (?P<worst>[\d.]+) USD\.": gettext_lazy(
        "The rest of the budget of $%(n)s is less than the next call may cost: up to $%(worst)s."
    ),
    r"Item (?P<item>.*): the project has no image “(?P<name>.*)”\. Add the file, then retry\.": gettext_lazy(
        "Item %(item)s: the project has no image “%(name)s”. Add the file, then retry."
    ),
    r"Item (?P<item>.*): the stored file of the image “(?P<name>.*)” is (?:missing|damaged)\. .*": gettext_lazy(
        "Item %(item)s: the stored file of the image “%(name)s” is missing or damaged. Restore it from a backup, then "
        "retry."
    ),
    r"Item (?P<item>.*): it shows (?P<n>\d+) images with (?P<size>[\d.]+) MiB, most of it in “(?P<name>.*)”; "
    r"a call takes at most (?P<most>\d+) images with (?P<limit>\d+) MiB\. Show fewer or smaller ones\.": gettext_lazy(
        "Item %(item)s: it shows %(n)s images with %(size)s MiB, most of it in “%(name)s”; a call takes at most "
        "%(most)s images with %(limit)s MiB. Show fewer or smaller ones."
    ),
    r"Item (?P<item>.*): the endpoint (?P<name>\S+) takes no images\. Tick .*": gettext_lazy(
        "Item %(item)s: the endpoint %(name)s takes no images. Tick “Takes images” there, then retry."
    ),
    r"No reply is stored\.": gettext_lazy("There is no stored reply to reparse."),
}
PATTERNS = [(re.compile(pattern, re.DOTALL), sentence) for pattern, sentence in SENTENCES.items()]
UNSENT = re.compile(
    r"Not sent: (?P<n>\d+) jobs in a row had ended as “[^”]*”, and none well\.\s*(?P<said>.*)", re.DOTALL
)
SHAPE = re.compile(r"(?P<where>\S+|The object): (?P<said>.*?)(?: \(and (?P<more>\d+) more\))?", re.DOTALL)
# Errors of a reply's field, in the words of the library that parses it.
OF_A_FIELD: Mapping[str, Promise] = {
    r"Field required": gettext_lazy("is missing"),
    r"Input should be a valid string": gettext_lazy("is not text"),
    r"Input should be a valid (?:integer|number).*": gettext_lazy("is not a number"),
    r"Input should be a valid boolean.*": gettext_lazy("is neither true nor false"),
    r"Input should be a valid (?:list|tuple).*": gettext_lazy("is not a list"),
    r"Input should be (?:a valid dictionary|an object).*": gettext_lazy("is not an object"),
    r"Extra inputs are not permitted": gettext_lazy("was not requested"),
    r"(?:String|List|Tuple) should have at least .*": gettext_lazy("is too short"),
    r"(?:String|List|Tuple) should have at most .*": gettext_lazy("is too long"),
}


def failure_text(detail: str, cause: str | None) -> FailureText:
    """A stored detail in the reader's language."""
    if unsent_match := UNSENT.fullmatch(detail):
        return _unsent(int(unsent_match["n"]), failure_text(unsent_match["said"], cause))
    for pattern, sentence in PATTERNS:
        if match := pattern.fullmatch(detail):
            groups = match.groupdict()
            return FailureText(str(sentence) % groups, groups.get("words") or "")
    if cause == Cause.WRONG_SHAPE and (match := SHAPE.fullmatch(detail)):
        return _of_a_shape(**match.groupdict())
    if cause == Cause.CONNECTION and detail:
        return FailureText(_("The connection to the service failed:"), detail)
    return FailureText("", detail)


def _unsent(jobs: int, reason: FailureText) -> FailureText:
    sentence = ngettext(
        "Not sent: the previous %(n)d job failed like this.",
        "Not sent: the previous %(n)d jobs all failed like this.",
        jobs,
    )
    return FailureText(f"{sentence % {'n': jobs}} {reason.sentence}".strip(), reason.words)


def _of_a_shape(where: str, said: str, more: str | None) -> FailureText:
    wrong = next((word for pattern, word in OF_A_FIELD.items() if re.fullmatch(pattern, said)), None)
    words = "" if wrong is not None else said
    fault = wrong or _("is not as requested")
    sentence = _("In the reply, “%(where)s” %(fault)s.") % {"where": where, "fault": fault}
    if where == "The object":
        sentence = _("The reply as a whole %(fault)s.") % {"fault": fault}
    if more:
        more_faults = ngettext("%(n)d more fault was found.", "%(n)d more faults were found.", int(more))
        sentence = f"{sentence} {more_faults % {'n': int(more)}}"
    return FailureText(sentence, words)


# Automatic pauses for people: the cause, the service's message, and what can be done.


REMEDIES: Mapping[str, Promise] = {
    Cause.BUDGET: gettext_lazy("Raise the budget, then resume."),
    Cause.UNAUTHORISED: gettext_lazy(
        "The service rejects this key, or the account has no credit left. Put a valid key into the "
        "endpoint's variable, restart, then resume."
    ),
    Cause.NO_KEY: gettext_lazy("Set the endpoint's environment variable, restart, then resume."),
    Cause.NOT_FOUND: gettext_lazy("Check the endpoint's base URL and the name of its model, then resume."),
    Cause.BAD_REQUEST: gettext_lazy(
        "The service refuses the requests and does not name the parameter. Change the endpoint, then resume."
    ),
}


@dataclass(frozen=True)
class HaltReason:
    """words: what went wrong, as `failure_text` gives it. remedy: what a lead can do; empty if nothing is known."""

    cause: Cause
    words: FailureText
    remedy: str


def why_halted(run: Run) -> HaltReason | None:
    """None unless the run is paused and paused automatically."""
    if run.state != Run.State.PAUSED or not run.cause:
        return None
    return HaltReason(Cause(run.cause), failure_text(run.detail, run.cause), str(REMEDIES.get(run.cause, "")))
