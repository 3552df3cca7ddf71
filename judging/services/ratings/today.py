"""What votes and verdicts have to be about to count: answers, decided items and judges as they are today."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from django.db.models import Count, Max, Q

from annotate.kinds.values import BadShape
from annotate.models import Item, Project
from judging.models import Judge
from judging.services import scoring


class Today:
    """One project, each part of it read when it is first asked for and only once: a query each.

    It lives as long as one request or one report. Whatever is remembered for longer is told apart by its state.
    """

    def __init__(self, project: Project) -> None:
        self.project = project

    @cached_property
    def judges(self) -> Sequence[Judge]:
        """With the highest number and the count of what they said: newest_pair, pairs, newest_single, singles."""
        pairs, singles = Q(verdicts__second__isnull=False), Q(verdicts__second__isnull=True)
        judges = Judge.objects.filter(project=self.project).annotate(
            newest_pair=Max("verdicts__pk", filter=pairs),
            pairs=Count("verdicts", filter=pairs),
            newest_single=Max("verdicts__pk", filter=singles),
            singles=Count("verdicts", filter=singles),
        )
        return list(judges.order_by("pk"))

    @cached_property
    def answers(self) -> Mapping[int, scoring.AnswerRow]:
        """The newest version of each."""
        return scoring.newest_answers(self.project)

    @cached_property
    def subjects(self) -> Mapping[int, scoring.Subject]:
        """Decided items that somebody has answered; none of a kind that nobody answers."""
        return scoring.subjects(self.project) if self.project.kind.judges_answers else {}

    @cached_property
    def seen(self) -> Mapping[int, str]:
        """Item -> sha of what judges see of it beside the answers."""
        kind = self.project.kind
        if kind.holds_pairs:
            return self._held()
        if kind.judges_answers:
            return {pk: subject.sha256 for pk, subject in self.subjects.items()}
        # Nobody answers items of this kind: what a judge sees of them are their facts.
        items = Item.objects.counted().filter(project=self.project).exclude(state=Item.State.DROPPED)
        return dict(items.values_list("pk", "content_hash"))

    def _held(self) -> dict[int, str]:
        """Of items that hold their answers: they are judged before anybody has worked on them, too."""
        kind, options, sha_by_item = self.project.kind, self.project.kind_options, {}
        items = Item.objects.counted().filter(project=self.project).exclude(state=Item.State.DROPPED)
        for pk, stored, schema in items.values_list("pk", "facts", "schema").iterator(2000):
            with suppress(BadShape):  # what does not read any more was seen by nobody as it is
                facts = kind.read_facts(kind.upgrade(stored, schema))
                sha_by_item[pk] = kind.judged(facts, kind.read_draft(kind.empty_draft(facts)), options).sha256
        return sha_by_item

    def questions(self, item: int) -> int:
        """How many its checklist has."""
        subject = self.subjects.get(item)
        return len(subject.weights) if subject else 0
