"""JSON as Touchstone's own prompts ask for it: one object with a score or a verdict."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import BaseModel

from annotate.engine import replies
from annotate.kinds.protocol import Question
from judging.readers.choices import choice_in_text, choice_shape
from judging.readers.reader import ReplyReader, Unread
from judging.readers.scales import Scale, score_shape


class Json(ReplyReader):
    """`{"explanation": "…", "score": 4}` or `{"explanation": "…", "verdict": "A"}`, read as replies to fenced prompts
    are: fences and prose around the object do not matter, and a reply without an object is read by its words."""

    slug = "json"
    name = gettext_lazy("JSON")
    about = gettext_lazy("An object with score, or with verdict: A, B, both good, both bad.")
    example = '{"explanation": "Only B answers.", "verdict": "B"}'
    place = 60

    def score(self, reply: str, scale: Scale) -> float | Unread:
        field_value = _field(reply, score_shape(f"{scale.low}-{scale.top}", explained=False), "score")
        value = scale.read_text(reply) if field_value is None else field_value
        return Unread(_("There is no single score in the reply.")) if value is None else float(value)

    def choice(self, reply: str) -> str | Unread:
        value = _field(reply, choice_shape(explained=False), "verdict") or choice_in_text(reply)
        return str(value) if value else Unread(_("There is no single verdict in the reply."))


def _field(reply: str, shape: type[BaseModel], name: str) -> Any:
    """The field of the object in the reply; None if there is no object of the shape, or several that differ."""
    try:
        return getattr(replies.parse_reply(Question("read", [], shape), reply), name)
    except replies.Unread:
        return None


READERS = [Json()]
