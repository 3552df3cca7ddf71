"""What a service was found to take, in words for whoever set its endpoint up."""

from django.utils.translation import gettext as _

from annotate.llm.capabilities import Capabilities
from annotate.models import Endpoint


def in_words(endpoint: Endpoint) -> list[str]:
    """A sentence for each thing learned; empty where nothing was refused yet."""
    capabilities = Capabilities.stored(endpoint.capabilities)
    sentences = []
    if capabilities.reply_format == "json_object":
        sentences.append(_("JSON is asked for as json_object, since json_schema was refused."))
    if capabilities.reply_format == "text":
        sentences.append(_("JSON is asked for in words only, since every response format was refused."))
    if capabilities.length_parameter == "max_completion_tokens":
        sentences.append(_("The length of a reply is limited by max_completion_tokens."))
    if not capabilities.length_parameter:
        sentences.append(_("The length of a reply cannot be limited: both names of the parameter were refused."))
    if capabilities.system_role == "developer":
        sentences.append(_("Instructions are sent as a developer message."))
    if capabilities.system_role == "user":
        sentences.append(_("Instructions stand before the first message of the user."))
    if capabilities.omitted:
        sentences.append(_("Left out: %(names)s.") % {"names": ", ".join(capabilities.omitted)})
    if capabilities.ignores_cap:
        sentences.append(
            _("A reply was longer than its limit, so a budget may be passed by what such replies cost more.")
        )
    return sentences
