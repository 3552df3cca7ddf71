"""Settings of Argilla's datasets, read as definitions and written from them: fields and questions as JSON."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from annotate.formats.json_values import BadValue, parse
from annotate.formats.rows import JSON_ENDING
from annotate.formats.tools.label_studio_names import column_name, grouped_labels
from annotate.formats.tools.leftovers import BadConversion, Conversion, Leftovers, as_definition, question_name
from annotate.kinds.questions.base import Option, Question
from annotate.kinds.questions.definition import MOST_QUESTIONS, MOST_SHOWN, Definition, Shown
from annotate.kinds.questions.definition_texts import LocalText, in_language
from annotate.kinds.questions.types.choice import Choice
from annotate.kinds.questions.types.choices import Choices
from annotate.kinds.questions.types.pair import Pair
from annotate.kinds.questions.types.ranking import Ranking
from annotate.kinds.questions.types.rating import Rating
from annotate.kinds.questions.types.spans import Spans
from lib.texts.stored_sentences import say as _

LONGEST = 2_000_000  # characters
STEPS = range(11)  # of ratings in Argilla
AS_JSON = ("json", "table", "texts")  # columns that stand as JSON in a text
Settings = dict[str, Any]


def from_argilla(text: str) -> Conversion:
    """The definition that asks what the dataset asks. Raises BadConversion."""
    if len(text) > LONGEST:
        message = _("The text has %(n)d characters; at most %(most)d are allowed.")
        raise BadConversion(message % {"n": len(text), "most": LONGEST})
    try:
        settings = parse(text.encode(errors="replace"))
    except BadValue as bad:
        raise BadConversion(f"{bad.path} {bad.message}".strip()) from bad
    if not isinstance(settings, dict) or not all(_entries(settings, part) for part in ("fields", "questions")):
        raise BadConversion(_("These are no settings of a dataset: they are an object with `fields` and `questions`."))
    return SettingsReading(settings).converted()


def _entries(settings: Settings, part: str) -> list[Settings]:
    """The objects of a part that have a name and settings."""
    objects = _objects(settings.get(part))
    return [
        entry for entry in objects if isinstance(entry.get("name"), str) and isinstance(entry.get("settings"), dict)
    ]


def _objects(listed: Any) -> list[Settings]:
    return [entry for entry in (listed if isinstance(listed, list) else []) if isinstance(entry, dict)]


class SettingsReading:
    """The reading of one dataset's settings."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.leftovers = Leftovers()
        self.columns = {entry["name"] for entry in _entries(settings, "fields")}

    def converted(self) -> Conversion:
        fields, questions = _entries(self.settings, "fields"), _entries(self.settings, "questions")
        for name, most, listed in (("fields", MOST_SHOWN, fields), ("questions", MOST_QUESTIONS, questions)):
            for entry in listed[most:]:
                self.leave(
                    f"{name} {entry['name']}", _("is one too many; at most %(most)d are allowed.") % {"most": most}
                )
        show = [part for entry in fields[:MOST_SHOWN] for part in self._field(entry)]
        parts = [part for entry in questions[:MOST_QUESTIONS] for part in self._question(entry)]
        self._rest()
        return as_definition({"show": show, "questions": _joined(parts)}, self.leftovers)

    def leave(self, place: str, message: str, sort: Any = "missing") -> None:
        self.leftovers.add(sort, place, message)

    def _rest(self) -> None:
        if self.settings.get("guidelines"):
            self.leave("guidelines", _("are no part of a definition; copy them into the project's guidelines."))
        for name in ("metadata", "vectors"):
            for entry in _objects(self.settings.get(name)):
                self.leave(
                    f"{name} {entry.get('name')}",
                    _("has no counterpart; columns that are not shown are metadata here."),
                )
        if self.settings.get("mapping"):
            self.leave("mapping", _("name the columns at import, with --map."))
        distribution = self.settings.get("distribution")
        people = distribution.get("min_submitted", 1) if isinstance(distribution, dict) else 1
        if people != 1:
            message = _("%(n)s people answer each record; set the number of people per item in the project.")
            self.leave("distribution", message % {"n": people}, "changed")

    def _field(self, entry: Settings) -> Iterator[Settings]:
        name, settings = entry["name"], entry["settings"]
        sort = settings.get("type")
        shown_as = {"text": "markdown" if settings.get("use_markdown") else "text", "chat": "chat"}
        shown_as |= {"custom": "json", "image": "image"}
        if sort not in shown_as:
            self.leave(f"field {name}", _("what it shows has no counterpart."))
            return
        if sort == "custom":
            self.leave(f"field {name}", _("its template is left out; its values are shown as JSON."), "changed")
        if sort == "image":
            message = _("names a stored file here, and no address: add the files, and their names as this column.")
            self.leave(f"field {name}", message, "changed")
        if entry.get("description"):
            self.leave(f"field {name}", _("its description has no counterpart."))
        part = {"field": name, "as": shown_as[sort]}
        part |= {"title": entry["title"]} if entry.get("title") not in (None, "", name) else {}
        yield part | ({} if entry.get("required", True) else {"optional": True})

    def _question(self, entry: Settings) -> Iterator[Settings]:
        name, settings = question_name(entry["name"]), entry["settings"]
        name = f"{name}_" if name in self.columns else name
        read = READERS.get(str(settings.get("type")))
        converted = read(self, f"question {entry['name']}", settings) if read else None
        if read is None:
            message = _("questions of the type %(type)s have no counterpart.")
            self.leave(f"question {entry['name']}", message % {"type": settings.get("type")})
        if converted is None:
            return
        if name != entry["name"]:
            self.leave(f"question {entry['name']}", _("is called “%(name)s” here.") % {"name": name}, "changed")
        ask, remark = entry.get("title"), entry.get("description")
        question = {"name": name, "type": converted.pop("type")}
        question |= {"ask": ask} if ask not in (None, "", name) else {}
        question |= {"help": remark} if remark else {}
        yield question | converted | ({} if entry.get("required", True) else {"required": False})

    # --- types of questions -------------------------------------------------------------------------------------------
    def _options(self, place: str, settings: Settings) -> list[Any]:
        for name in ("visible_options", "options_order"):
            if settings.get(name):
                self.leave(place, _("not carried over: %(names)s.") % {"names": name}, "look")
        return [_option(option) for option in _objects(settings.get("options"))]

    def choice(self, place: str, settings: Settings) -> Settings:
        return {"type": "choice", "options": self._options(place, settings)}

    def choices(self, place: str, settings: Settings) -> Settings:
        return {"type": "choices", "options": self._options(place, settings)}

    def rating(self, place: str, settings: Settings) -> Settings:
        values = [option.get("value") for option in _objects(settings.get("options"))]
        first = values[0] if values and all(isinstance(value, int) for value in values) else None
        if first is not None and values == list(range(first, first + len(values))):
            return {"type": "rating", "scale": {str(values[0]): None, str(values[-1]): None}}
        message = _("its values are no scale of whole numbers one after another; it is a choice here.")
        self.leave(place, message, "changed")
        return {"type": "choice", "options": [str(value) for value in values]}

    def text(self, place: str, settings: Settings) -> Settings:
        if settings.get("use_markdown"):
            self.leave(place, _("the answer is written as plain text."), "look")
        return {"type": "text"}

    def ranking(self, place: str, settings: Settings) -> Settings | None:
        values = [option.get("value") for option in _objects(settings.get("options"))]
        if not all(isinstance(value, str) and value in self.columns for value in values):
            self.leave(place, _("ranks values that are no fields; a question of the type ranking ranks columns."))
            return None
        return {"type": "ranking", "of": values, "ties": True}

    def span(self, place: str, settings: Settings) -> Settings:
        if not settings.get("allow_overlapping"):
            self.leave(place, _("marks may overlap here."), "changed")
        labels = []
        for option in self._options(place, settings):
            labels.append(str(option["value"] if isinstance(option, dict) else option))
            if isinstance(option, dict):
                message = _("people read “%(text)s” instead; here they read the stored label.")
                self.leave(place, message % {"text": option.get("text") or option.get("about")}, "changed")
        return {"type": "spans", "on": [settings.get("field")], "labels": grouped_labels(labels)}


def _option(option: Settings) -> Any:
    value, text, about = option.get("value"), option.get("text"), option.get("description")
    if text in (None, "", value) and not about:
        return value
    return (
        {"value": value}
        | ({"text": text} if text not in (None, "", value) else {})
        | ({"about": about} if about else {})
    )


def _joined(questions: list[Settings]) -> list[Settings]:
    """Questions for further columns, called name__2 and so on, belong to the question of that name."""
    by_name: dict[str, Settings] = {}
    for question in questions:
        head, _dash, number = question["name"].rpartition("__")
        first = by_name.get(head)
        if first and number.isdecimal() and first["type"] == "spans" and first["labels"] == question.get("labels"):
            first["on"] += question["on"]
        else:
            by_name[question["name"]] = question
    return list(by_name.values())


READERS: Mapping[str, Callable[[SettingsReading, str, Settings], Settings | None]] = {
    "label_selection": SettingsReading.choice,
    "multi_label_selection": SettingsReading.choices,
    "rating": SettingsReading.rating,
    "text": SettingsReading.text,
    "ranking": SettingsReading.ranking,
    "span": SettingsReading.span,
}


# --- writing ----------------------------------------------------------------------------------------------------------


def to_argilla(definition: Definition, *, language: str = "en", keep_json: bool = False) -> Conversion:
    """Settings of a dataset. Raises BadConversion.

    language: of texts that are given by language. keep_json: with a text for the JSON of each answer that has no
    counterpart, for records that say it.
    """
    writing = SettingsWriting(definition, language, keep_json=keep_json)
    fields, questions = writing.fields(), writing.questions()
    if not questions:
        message = _("Nothing can be converted: %(why)s.") % {"why": _("no question has a counterpart")}
        raise BadConversion(message, writing.leftovers.in_order())
    if not any(question["required"] for question in questions):
        questions[0]["required"] = True
        writing.leave(questions[0]["name"], _("must be answered; Argilla needs one question that must."), "changed")
    dataset = {"guidelines": None, "allow_extra_metadata": True, "fields": fields, "questions": questions}
    return Conversion(json.dumps(dataset, ensure_ascii=False, indent=2) + "\n", writing.leftovers.in_order())


class SettingsWriting:
    """The writing of one dataset's settings."""

    def __init__(self, definition: Definition, language: str, *, keep_json: bool) -> None:
        self.definition, self.language, self.keep_json = definition, language, keep_json
        self.leftovers = Leftovers()

    def leave(self, name: str, message: str, sort: Any = "missing") -> None:
        self.leftovers.add(sort, name, message)

    def text(self, name: str, text: LocalText | None) -> str:
        if isinstance(text, dict) and len(text) > 1:
            self.leave(name, _("its texts in other languages are left out; a dataset has one language."))
        return in_language(text, self.language)

    def fields(self) -> list[Settings]:
        columns: dict[str, Settings] = {}
        for entry in self.definition.show:
            for column in entry.columns:
                columns.setdefault(column, self._field(entry, column))
        return list(columns.values())

    def _field(self, entry: Shown, column: str) -> Settings:
        sort = entry.shown_as if entry.shown_as in ("chat", "image") and column != entry.alt else "text"
        if sort == "image":
            self.leave(column, _("names a stored file; Argilla needs its address, put it there."), "changed")
        elif column == entry.alt:
            self.leave(column, _("is a text beside the image there, not its description."), "changed")
        if entry.shown_as in (*AS_JSON, "code", "diff"):
            message = _("is shown as plain text, not as %(shown_as)s.")
            self.leave(column, message % {"shown_as": entry.shown_as}, "changed")
        name = f"{column}{JSON_ENDING}" if entry.shown_as in AS_JSON else column
        settings = {"type": sort} | ({} if sort == "image" else {"use_markdown": entry.shown_as == "markdown"})
        title = self.text(column, entry.title) if column == entry.field else ""
        return {"name": name, "title": title or column, "required": not entry.optional, "settings": settings}

    def questions(self) -> list[Settings]:
        written = []
        for question in self.definition.questions:
            made = self._written(question)
            if not made:
                message = _("questions of the type %(type)s have no counterpart.")
                self.leave(question.name, message % {"type": question.type})
            if self.keep_json and (not made or isinstance(question, Spans)):
                made.append((f"{question.name}{JSON_ENDING}", {"type": "text", "use_markdown": False}))
            if question.when:
                self.leave(question.name, _("the condition has no counterpart; it is asked always."))
            written += [self._question(question, name, settings) for name, settings in made]
        for name in (
            *(f"scores.{name}" for name in self.definition.scores),
            *(["unit"] if self.definition.unit else []),
        ):
            self.leave(name, _("has no counterpart."))
        return written

    def _question(self, question: Question, name: str, settings: Settings) -> Settings:
        argilla_name = question.name if name.endswith(JSON_ENDING) else name
        if not (argilla_name.isascii() and argilla_name == argilla_name.lower()):
            self.leave(name, _("Argilla takes names of a-z, 0-9, _ and - only; rename it."), "changed")
        return {
            "name": name,
            "title": self.text(name, question.ask) or name,
            "description": self.text(name, question.help) or None,
            "required": question.required and not question.when and not name.endswith(JSON_ENDING),
            "settings": settings,
        }

    def _written(self, question: Question) -> list[tuple[str, Settings]]:
        """(name, settings) of the questions that stand for one of ours."""
        if isinstance(question, Spans):
            return self._spans(question)
        settings = self._settings(question)
        return [(question.name, settings)] if settings else []

    def _settings(self, question: Question) -> Settings | None:
        if isinstance(question, Choices):
            if question.least or question.most:
                self.leave(question.name, _("how many may be chosen (least, most) is left out."))
            return {"type": "multi_label_selection", "options": self._options(question.name, question.options)}
        if isinstance(question, Choice):
            return {"type": "label_selection", "options": self._options(question.name, question.options)}
        if isinstance(question, Rating):
            return self._rating(question)
        if isinstance(question, Pair):
            self.leave(question.name, _("is a choice there; read again it stays one."), "changed")
            answers = [
                Option.model_validate({"value": value, "text": str(words)}) for value, words, *_more in question.answers
            ]
            return {"type": "label_selection", "options": self._options(question.name, answers)}
        if isinstance(question, Ranking):
            if not question.ties:
                self.leave(question.name, _("Argilla allows equal ranks."), "changed")
            return {"type": "ranking", "options": [_named(column, column) for column in question.of]}
        if question.type == "number":
            self.leave(question.name, _("is a text there; limits and unit are left out."), "changed")
        elif question.type == "text":
            self._of_text(question)
        return {"type": "text", "use_markdown": False} if question.type in ("number", "text") else None

    def _of_text(self, question: Any) -> None:
        for name in ("start", "compare"):
            if getattr(question, name):
                self.leave(
                    question.name,
                    _("%(name)s: %(column)s has no counterpart.") % {"name": name, "column": getattr(question, name)},
                )

    def _rating(self, question: Rating) -> Settings:
        if question.steps[0] in STEPS and question.steps[-1] in STEPS:
            if any(question.scale.values()):
                self.leave(question.name, _("the names of its steps are left out; name them in its `help`."))
            return {"type": "rating", "options": [{"value": step} for step in question.steps]}
        self.leave(question.name, _("Argilla rates from 0 to 10; it is a choice there."), "changed")
        steps = [_named(str(step), question.name_of(step, self.language) or str(step)) for step in question.steps]
        return {"type": "label_selection", "options": steps}

    def _options(self, name: str, options: Sequence[Option]) -> list[Settings]:
        return [
            _named(option.value, self.text(name, option.text) or option.value, self.text(name, option.about) or None)
            for option in options
        ]

    def _spans(self, question: Spans) -> list[tuple[str, Settings]]:
        left = [*question.attributes, *(["none"] if question.none else []), *(["others"] if question.others else [])]
        for part in left:
            self.leave(
                question.name,
                _("%(name)s has no counterpart; marks have a label there, nothing else.") % {"name": part},
            )
        options = [_named(label, label) for label in question.known_labels]
        alike = {"type": "span", "allow_overlapping": True, "options": options}
        return [(column_name(question.name, n), {**alike, "field": column}) for n, column in enumerate(question.on)]


def _named(value: str, text: str, description: str | None = None) -> Settings:
    return {"value": value, "text": text, "description": description}
