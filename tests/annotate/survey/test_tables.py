"""Every table that belongs to an item, from near or far, is emptied of its words, or says here why it holds none.

A new table, or a new column of text, fails this test until somebody has decided.
"""

from collections.abc import Iterator

from django.apps import apps
from django.db import models

from annotate.models import Item
from tests.support.withdrawn import TEXTUAL

ERASED = {
    "annotate.Item": {"title", "facts", "metadata"},
    "annotate.Annotation": {"draft", "doubts", "candidates", "decided", "note", "said"},
    "annotate.SetAside": {"draft"},
    "annotate.Comment": {"text", "span"},
    "annotate.Event": {"note"},
    "annotate.Skip": {"note"},
    "annotate.Notification": {"note"},
    "annotate.Dispute": {"reason", "answer"},
    "annotate.Precedent": {"question", "ruling"},
    "annotate.PrecedentEvent": {"text"},
    "annotate.Job": {"detail"},
    "annotate.Call": {"request", "reply", "reasoning", "detail", "sent"},
    "annotate.Classification": {"label", "group"},
    "annotate.ReportedCase": {"service", "turns", "intent"},
    "annotate.SearchText": {"text"},
    "judging.Answer": {"text", "note"},
    "judging.Verdict": {"reason", "note"},
    "judging.Part": {"axis", "label", "reason"},
}
# A word of a closed list, a name of a person, model or file, a number or a digest: nothing that a case says.
WORDLESS = {
    "annotate.AlikePair": {"decision"},
    "annotate.Item": {"key", "purpose", "state", "group", "language", "drop_reason", "content_hash"},
    "annotate.Annotation": {"rater", "model", "prompt_version", "outcome"},
    "annotate.Comment": {"field", "answer"},
    "annotate.Event": {"verb", "from_state", "to_state"},
    "annotate.Skip": {"reason"},
    "annotate.Slot": {"stage", "state", "unit"},
    "annotate.Notification": {"verb"},
    "annotate.Dispute": {"decision"},
    "annotate.Precedent": {"field", "group"},
    "annotate.PrecedentEvent": {"verb", "group"},
    "annotate.Job": {"subject", "state", "cause"},
    "annotate.Call": {"step", "digest", "cause", "finish_reason", "model"},
    "judging.Answer": {"source"},
    "judging.Verdict": {"source", "case_sha", "reading", "choice", "found_from"},
    "judging.Part": {"joined"},
}


def belonging_to_items() -> Iterator[type[models.Model]]:
    """Tables with a foreign key to an item, or to a row that has one."""
    found: set[type[models.Model]] = {Item}
    while True:
        more = {model for model in apps.get_models() if model not in found and _points_into(model, found)}
        if not more:
            return (yield from sorted(found, key=lambda model: model._meta.label))
        found |= more


def _points_into(model: type[models.Model], found: set[type[models.Model]]) -> bool:
    """A key that may be missing and only says where something came from counts too."""
    keys = [field for field in model._meta.concrete_fields if isinstance(field, models.ForeignKey)]
    return any(key.related_model in found for key in keys)


def test_every_column_of_text_is_erased_or_holds_no_words() -> None:
    undecided = {
        f"{model._meta.label}.{field.name}"
        for model in belonging_to_items()
        for field in model._meta.concrete_fields
        if isinstance(field, TEXTUAL)
        and field.name not in ERASED.get(model._meta.label, set()) | WORDLESS.get(model._meta.label, set())
    }
    assert undecided == set()


def test_the_lists_name_only_what_there_is() -> None:
    for label, names in [*ERASED.items(), *WORDLESS.items()]:
        assert names <= {field.name for field in apps.get_model(label)._meta.concrete_fields}, label
