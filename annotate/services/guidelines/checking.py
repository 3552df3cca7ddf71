"""Guidelines are saved when every name in their braces is one of the project; else the line says which is not."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from django.utils.translation import gettext as _

from annotate.models import Guideline, Project, User
from annotate.services.errors import Refused
from annotate.services.guidelines import examples, names
from annotate.services.projects import write_guideline
from lib.texts.sections import Fault, Section, parsed


class BadGuidelines(Refused):
    """Braces that name what is not there; `problems` says it line by line."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__(" ".join(problems))


def write(project: Project, *, text: str, note: str, by: User, based_on: int) -> Guideline:
    """A new version. Raises BadGuidelines, and WrongState if somebody else has written one meanwhile."""
    sentences = problems(project, text)
    if sentences:
        raise BadGuidelines(sentences)
    return write_guideline(project, text=text, note=note, by=by, based_on=based_on)


def problems(project: Project, text: str) -> list[str]:
    """One sentence for each name that is unknown and for braces that cannot be read, in the order of the lines."""
    document = parsed(text)
    line_problems = [(fault.line, _fault(fault)) for fault in document.faults]
    if any(section.own for section in document.sections):
        line_problems += _unknown(project, document.sections)
    return [
        _("Line %(line)d: %(problem)s") % {"line": line, "problem": sentence}
        for line, sentence in sorted(line_problems, key=lambda entry: entry[0])
    ]


def _fault(fault: Fault) -> str:
    if fault.why == "word":
        return _("“%(word)s” is not understood; write fields, groups or example.") % {"word": fault.said}
    if fault.why == "twice":
        return _("“%(word)s” stands there twice.") % {"word": fault.said}
    return _("nothing stands behind “%(word)s”.") % {"word": fault.said}


def _unknown(project: Project, sections: Sequence[Section]) -> Iterator[tuple[int, str]]:
    fields, groups = list(names.field_labels(project)), names.groups(project)
    refused = examples.refused(project, [key for section in sections for key in section.examples])
    for section in sections:
        for name in section.fields if "fields" in section.own else ():
            if name not in fields:
                message = _("there is no field “%(name)s”.") % {"name": name}
                yield section.line, message + _suggestion(name, fields)
        # A project that has neither items nor a taxonomy cannot know its groups yet.
        for name in section.groups if "groups" in section.own and groups else ():
            if name not in groups:
                message = _("there is no group “%(name)s”.") % {"name": name}
                yield section.line, message + _suggestion(name, groups)
        for key in section.examples:
            if key in refused:
                yield section.line, refused[key]


def _suggestion(name: str, known_names: Sequence[str]) -> str:
    near = get_close_matches(name, known_names, n=1, cutoff=0.6)
    listed = near or (known_names if len(known_names) <= 12 else [])
    return " " + _("Known: %(names)s.") % {"names": ", ".join(listed)} if listed else ""
