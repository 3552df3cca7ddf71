"""A row of votes, read by the kind of its project: shapes are checked, nothing is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.formats.rows import Problem
from annotate.kinds.base import Kind
from annotate.kinds.shapes import Finding
from annotate.kinds.values import BadShape
from annotate.models import Project
from annotate.services.importing.checks import Checks
from annotate.services.importing.rows import content_hash
from judging.formats.base import Voted

Authors = tuple[str, ...]


@dataclass(frozen=True)
class Ready:
    """One row that can be stored. facts, drafts: as they are stored, a draft for each of its votes."""

    voted: Voted
    facts: Mapping[str, Any]
    content_hash: str
    title: str
    language: str
    drafts: Sequence[Mapping[str, Any]]

    @property
    def authors(self) -> Authors:
        return tuple(side.author for side in self.voted.sides)


class Reader:
    """Reads rows for one project. Many votes are about one item: its language is looked for once.

    votes: the kind in which people vote where it is not the project's own.
    """

    def __init__(self, project: Project, votes: Kind | None = None) -> None:
        self._kind = votes or project.kind
        self._options = votes.options() if votes else project.kind_options
        self._checks = Checks(self._kind, project.languages, thorough=True)
        self._languages: dict[str, str] = {}

    def read(self, voted: Voted, file: str) -> Ready | list[Problem]:
        """The row, or every reason why it cannot be kept, by the names of the file."""
        try:
            facts = self._kind.read_facts(voted.facts)
            drafts = [self._draft(facts, vote.draft) for vote in voted.votes]
        except BadShape as bad:
            return [self._problem(voted, finding, file) for finding in bad.findings]
        stored = facts.stored()
        digest = content_hash(stored)
        return Ready(voted, stored, digest, self._kind.title(facts)[:160], self._language(digest, facts), drafts)

    def _language(self, digest: str, facts: Any) -> str:
        if digest not in self._languages:
            self._languages[digest] = self._checks.language(facts)
        return self._languages[digest]

    def _draft(self, facts: Any, raw_draft: Mapping[str, Any]) -> Mapping[str, Any]:
        draft = self._kind.read_draft(raw_draft)
        problems = self._kind.problems(facts, draft, self._options)
        if problems:
            raise BadShape(problems)
        return dict(draft.stored())

    @staticmethod
    def _problem(voted: Voted, finding: Finding, file: str) -> Problem:
        return Problem(file, voted.line, voted.names.get(finding.path, finding.path), finding.message)
