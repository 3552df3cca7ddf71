"""What a refusal teaches about a service: the next thing to try, if the service named what it does not take."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from annotate.llm.capabilities import (
    LENGTH_PARAMETERS,
    OPTIONAL,
    REPLY_FORMATS,
    SYSTEM_ROLES,
    Capabilities,
    step_after,
)

# A request that is refused as it stands. 404: OpenRouter has no provider that takes the parameters.
STATUSES = frozenset({400, 404, 422, 501})
# About the parameter as such. A value out of range is a matter of the run's settings.
UNSUPPORTED = re.compile(
    r"unsupported|not support|n't support|only the default|unrecognized|unrecognised|unknown|unexpected|not permitted"
    r"|not allowed|extra (field|input)|additional propert|use '?max_completion_tokens|not available|incompatible"
    r"|invalid (parameter|argument) ?(name|:)",
    re.IGNORECASE,
)
FORMAT = re.compile(
    r"response[_ ]?format|json[_ ]?schema|json[_ ]?object|json mode|structured[_ ]output|guided[_ ](json|decoding)",
    re.IGNORECASE,
)
# A role that is refused. Chat templates of open models speak of roles that have to alternate.
ROLE = re.compile(
    r"\bsystem\b.{0,40}\brole\b|\brole\b.{0,60}\b(system|developer)\b|messages\[\d+\]\.role|\bdeveloper\b.{0,40}\brole\b"
    r"|\b(system|developer)\b.{0,20}\bmessages?\b|roles must alternate|unexpected role|unknown role",
    re.IGNORECASE | re.DOTALL,
)
NO_SUCH_PROVIDER = re.compile(r"no endpoints found that (support|can handle)", re.IGNORECASE)


@dataclass(frozen=True)
class Refusal:
    """A refused request, in the service's words.

    parameter: what the service itself names as the cause, such as `messages[0].role`; "" where it names nothing.
    """

    status: int
    message: str = ""
    parameter: str = ""
    code: str = ""

    def names(self, parameter: str) -> bool:
        """Whether it is about this parameter: by the field for it, else by a word of the message."""
        if self.parameter:
            return self.parameter.partition(".")[0].partition("[")[0] == parameter
        return bool(re.search(rf"(?<![\w-]){re.escape(parameter)}(?![\w-])", self.message))


def lesson(refusal: Refusal, sent: Collection[str], capabilities: Capabilities) -> Capabilities | None:
    """What to try instead; None where the refusal is about something else, or nothing is left to try.

    sent: names of the parameters of the refused request, `response_format` and `system` among them.
    """
    if refusal.status not in STATUSES:
        return None
    learned = None
    if UNSUPPORTED.search(f"{refusal.code} {refusal.message}"):
        learned = _of_the_cap(refusal, sent, capabilities) or _of_parameters(refusal, sent, capabilities)
    learned = learned or _of_the_format(refusal, sent, capabilities) or _of_the_role(refusal, sent, capabilities)
    return learned if learned != capabilities else None


def _of_the_cap(refusal: Refusal, sent: Collection[str], capabilities: Capabilities) -> Capabilities | None:
    limit = capabilities.length_parameter
    if not limit or limit not in sent or not refusal.names(limit):
        return None
    following = step_after(limit, LENGTH_PARAMETERS)
    return None if following is None else replace(capabilities, length_parameter=following)


def _of_parameters(refusal: Refusal, sent: Collection[str], capabilities: Capabilities) -> Capabilities | None:
    """Every optional parameter that the refusal names is left out."""
    names = [name for name in OPTIONAL if name in sent and refusal.names(name)]
    for name in names:
        capabilities = capabilities.without(name)
    return capabilities if names else None


def _of_the_format(refusal: Refusal, sent: Collection[str], capabilities: Capabilities) -> Capabilities | None:
    if "response_format" not in sent:
        return None
    words = f"{refusal.parameter} {refusal.message}"
    if not FORMAT.search(words) and not NO_SUCH_PROVIDER.search(words):
        return None
    following = step_after(capabilities.reply_format, REPLY_FORMATS)
    return None if following is None else replace(capabilities, reply_format=following)


def _of_the_role(refusal: Refusal, sent: Collection[str], capabilities: Capabilities) -> Capabilities | None:
    if "system" not in sent or not ROLE.search(f"{refusal.parameter} {refusal.message}"):
        return None
    following = step_after(capabilities.system_role, SYSTEM_ROLES)
    return None if following is None else replace(capabilities, system_role=following)
