"""Ratings of people and judges together, the single entry point for reports and dashboards; and people's ratings.

People's ratings come from votes on ballots, and from labels that items hold themselves; those count as one rater, for
pairs on which nobody has voted here. Values that several people wrote in one field are ratings of that field.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.db.models import Q, QuerySet

from annotate.items.slots import dealt_to
from annotate.kinds import all_kinds
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import PreferredAnswer
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Project, Slot
from judging.answers.cases import judgeable
from judging.models import Answer, Ballot
from judging.ratings.judge_ratings import of_judges
from judging.ratings.rating_subjects import COMPARED, FIELD, VOTES, overlapped
from judging.ratings.units import PREFERENCE, WHAT, AnswerUnit, ItemUnit, PairUnit, Rater, Rating, Today, Unit
from lib.progress import followed

LABEL = Rater("person", "label of the items")
OTHER = {"first": "second", "second": "first"}


def of_items(
    project: Project, rating_kind: str, voted: Collection[Unit] = (), *, left_out: Counter[str] | None = None
) -> Iterator[Rating]:
    """The labels of decided items, as ratings of their pairs of answers. Two queries, none where no item has labels.

    voted: units with votes of people here, which count instead. left_out counts labels about texts that have changed
    since (`outdated`).
    """
    if rating_kind != PREFERENCE or not project.kind.holds_labels:
        return
    left_out = Counter() if left_out is None else left_out
    labelled = _labelled(project)
    stored_answers = _answers(project, labelled)
    for item, (preferred, texts) in labelled.items():
        first, second = stored_answers.get((item, preferred.first)), stored_answers.get((item, preferred.second))
        if first is None or second is None:
            continue  # no run was planned for them, so they are not stored as answers yet
        if (first[1], second[1]) != texts:
            left_out["outdated"] += 1
            continue
        unit = PairUnit.of(first[0], second[0])
        if unit not in voted:
            turned = first[0] > second[0]
            yield Rating(unit, LABEL, OTHER.get(preferred.label, preferred.label) if turned else preferred.label, item)


def _labelled(project: Project) -> dict[int, tuple[PreferredAnswer, tuple[str, str]]]:
    """item -> the preferred answer, and the two texts."""
    kind, preferences = project.kind, {}
    for pk, stored, schema in judgeable(project).order_by("pk").values_list("pk", "facts", "schema").iterator(2000):
        try:
            facts = kind.read_facts(kind.upgrade(stored, schema))
        except BadShape:
            continue
        if (preferred := kind.preferred(facts)) is not None:
            texts = kind.texts(facts)
            preferences[pk] = preferred, (texts["first"], texts["second"])
    return preferences


def _answers(project: Project, labelled: Mapping[int, object]) -> dict[tuple[int, str], tuple[int, str]]:
    """(item, author) -> the current answer and its text."""
    if not labelled:
        return {}
    rows = Answer.objects.current().filter(author__project=project, sample=1)
    columns = rows.values_list("item_id", "author__name", "pk", "text")
    return {(item, name): (pk, text) for item, name, pk, text in columns.iterator(2000) if item in labelled}


# People: their votes on the answers behind the ballots.


TURNED = {"first": "second", "second": "first"}
# Columns of a vote and its subject; there may be a hundred thousand votes.
COLUMNS = (
    *("draft", "schema", "rater", "author__username"),
    *("item__facts", "item__schema", "item__parent", "item__project__kind_slug"),
    *("item__ballot__first__item", "item__ballot__second"),
)


def of_people(
    project: Project, rating_kind: str, *, left_out: Counter[str] | None = None, today: Today | None = None
) -> Iterator[Rating]:
    """People's ratings of the answers to this project's items, in the order of the vote items.

    rating_kind: CHECKLIST, SCORE or PREFERENCE. Includes votes in studies of this project and votes of raters from
    files, who are distinguished from accounts of the same name; the last vote of a person on an item counts.
    left_out, if given, counts votes on an older version of an answer (`outdated`) and votes whose texts cannot be read
    any more (`unreadable`). today: of this project, if at hand. Two queries.
    """
    people_ratings = list(
        _of_people(project, rating_kind, Counter() if left_out is None else left_out, today or Today(project))
    )
    accounts = {rating.rater.name for rating in people_ratings if rating.rater.pk is not None}
    return (
        _called_apart(rating) if rating.rater.pk is None and rating.rater.name in accounts else rating
        for rating in people_ratings
    )


def _of_people(project: Project, rating_kind: str, skip_counts: Counter[str], today: Today) -> Iterator[Rating]:
    kinds = {slug: kind for slug, kind in all_kinds().items() if kind.voted == rating_kind}
    for vote in _last(_votes(project, kinds)):
        ballot, kind = vote.item.ballot, kinds[vote.item.project.kind_slug]
        if not {ballot.first_id, ballot.second_id or ballot.first_id} <= today.answers.keys():
            skip_counts["outdated"] += 1
            continue
        try:
            values = _vote_values(kind, vote)
        except BadShape:
            skip_counts["unreadable"] += 1
            continue
        yield from _ratings(vote, ballot, values, rating_kind, today)


def _votes(project: Project, kinds: Mapping[str, Kind]) -> QuerySet[Annotation]:
    by_people = Q(author__isnull=False, slot__stage=Slot.Stage.ANNOTATE) | ~Q(rater="")
    about = Annotation.objects.filter(
        item__ballot__first__item__project=project,
        item__project__kind_slug__in=list(kinds),
        item__purpose="work",
        item__parent=None,  # repeated votes say nothing new about the answers: see judging/studies/progress.py
        submitted_at__isnull=False,
    )
    return about.filter(by_people)


def _last(votes: QuerySet[Annotation]) -> Iterator[Annotation]:
    """The newest vote of each person and item; votes arrive sorted by item."""
    newest: dict[tuple[int | None, str], Annotation] = {}
    item = None
    whole = votes.select_related("item__project", "author", "item__ballot__first")
    for vote in followed(whole.only(*COLUMNS).order_by("item_id", "pk").iterator(chunk_size=2000)):
        if vote.item_id != item:
            yield from newest.values()
            newest, item = {}, vote.item_id
        newest[vote.author_id, vote.rater] = vote
    yield from newest.values()


def _vote_values(kind: Kind, vote: Annotation) -> Mapping[str, float | str | None]:
    facts = kind.read_facts(kind.upgrade(vote.item.facts, vote.item.schema))
    return kind.votes(facts, kind.read_draft(kind.upgrade(vote.draft, vote.schema)))


def _rater(vote: Annotation) -> Rater:
    if vote.author is not None:
        return Rater("person", vote.author.get_username(), vote.author_id)
    return Rater("person", vote.rater)


def _called_apart(rating: Rating) -> Rating:
    """The rating with another name for a rater of a file who has the name of an account."""
    return rating._replace(rater=replace(rating.rater, name=f"{rating.rater.name} (file)"))


def _ratings(
    vote: Annotation, ballot: Ballot, values: Mapping[str, Any], rating_kind: str, today: Today
) -> Iterator[Rating]:
    rater = _rater(vote)
    turned = rating_kind == PREFERENCE and ballot.second_id is not None and ballot.first_id > ballot.second_id
    dealt = dealt_to(vote.item, vote.author_id) % 2 == 1 if rating_kind == PREFERENCE else False
    for axis, value in values.items():
        yield Rating(
            unit=today.shared(unit_of(ballot, axis)),
            rater=rater,
            value=TURNED.get(value, value) if turned and isinstance(value, str) else value,
            item=ballot.first.item_id,
            axis=axis,
            swapped=turned != dealt,
            source=vote.pk,
            recognised=vote.draft.get("recognised") is True,
        )


def unit_of(ballot: Ballot, axis: str) -> Unit:
    """The unit of a ballot, see `Rating`."""
    if ballot.second_id is not None:
        return PairUnit.of(ballot.first_id, ballot.second_id, axis)
    return AnswerUnit(ballot.first_id, axis)


# Everybody: ratings of people and judges for reports and dashboards.


class ProjectRatings(list[Rating]):
    """Ratings, people's first.

    left_out: kind of rater -> reason -> number of votes or verdicts that are not ratings. Ratings without a value are
    included: their raters could not tell, or nothing could be read.
    """

    def __init__(self, rating_list: Iterable[Rating] = (), skip_counts: dict[str, Counter[str]] | None = None) -> None:
        super().__init__(rating_list)
        self.left_out = skip_counts or {}


def ratings(project: Project, rating_kind: str, *, today: Today | None = None) -> ProjectRatings:
    """Ratings of this project's answers by people and judges; `rating_kind` is CHECKLIST, SCORE or PREFERENCE.

    today: of this project, if the caller reads more of it than ratings. A fixed number of queries. Raises ValueError
    for another `rating_kind`.
    """
    if rating_kind not in WHAT:
        raise ValueError(f"Nobody rates {rating_kind!r}; choose one of: {', '.join(WHAT)}.")
    skip_counts = {"people": Counter[str](), "judges": Counter[str]()}
    today = today or Today(project)
    people = list(of_people(project, rating_kind, left_out=skip_counts["people"], today=today))
    people += of_items(project, rating_kind, {rating.unit for rating in people}, left_out=skip_counts["people"])
    judges = list(of_judges(project, rating_kind, left_out=skip_counts["judges"], today=today))
    return ProjectRatings([*people, *_with_distinct_names(judges, people)], skip_counts)


def first_rated(project: Project) -> tuple[str, ProjectRatings]:
    """The kind of the project's votes; for projects of other kinds, the first kind of ratings that people gave.

    If people gave none, the first kind of ratings that the project has.
    """
    tried = [project.kind.voted] if project.kind.voted else WHAT
    judged: tuple[str, ProjectRatings] | None = None
    for rating_kind in tried:
        project_ratings = ratings(project, rating_kind)
        if any(rating.rater.sort == "person" for rating in project_ratings):
            return rating_kind, project_ratings
        judged = judged or ((rating_kind, project_ratings) if project_ratings else None)
    return judged or (tried[0], ProjectRatings())


def _with_distinct_names(judges: Iterable[Rating], people: Iterable[Rating]) -> list[Rating]:
    """The ratings, with judges renamed who have the name of a person."""
    names = {rating.rater.name for rating in people}
    return [_renamed(rating) if rating.rater.name in names else rating for rating in judges]


def _renamed(rating: Rating) -> Rating:
    return rating._replace(rater=replace(rating.rater, name=f"{rating.rater.name} (judge)"))


# Fields: values that several people wrote independently in one field of the same items, as ratings.


def of_fields(project: Project) -> dict[str, ProjectRatings]:
    """field -> one rating per person and item, of the last round if there were several.

    One query. A project of votes has one field, `votes`, with a rating of each axis. Left out are texts that cannot be
    read any more (`unreadable`).
    """
    count_by_reason: Counter[str] = Counter()
    ratings_by_field: dict[str, list[Rating]] = defaultdict(list)
    for text in _last_round(project):
        assert text.author is not None
        rater = Rater("person", text.author.get_username(), text.author_id)
        try:
            entries = _field_values(project.kind, text)
        except BadShape:
            count_by_reason["unreadable"] += 1
            continue
        for name, axis, value in entries:
            unit = ItemUnit(text.item_id, axis)
            ratings_by_field[name].append(Rating(unit, rater, value, item=text.item_id, axis=axis, source=text.pk))
    return {
        name: ProjectRatings(field_ratings, {"people": count_by_reason})
        for name, field_ratings in ratings_by_field.items()
    }


def _last_round(project: Project) -> Iterator[Annotation]:
    """Submitted annotations of the last round, by item."""
    annotations = Annotation.objects.filter(
        slot__in=overlapped(project), submitted_at__isnull=False, author__isnull=False
    ).select_related("item", "author", "slot")
    newest: dict[int, list[Annotation]] = {}
    for text in annotations.order_by("item_id", "slot__round", "pk").iterator(chunk_size=2000):
        assert text.slot is not None
        round_texts = newest.get(text.item_id)
        if round_texts and round_texts[0].slot is not None and round_texts[0].slot.round == text.slot.round:
            round_texts.append(text)
        else:
            newest[text.item_id] = [text]
    return (text for texts in newest.values() for text in texts)


def _field_values(kind: Kind, text: Annotation) -> list[tuple[str, str, float | str | None]]:
    """(field, axis, value)."""
    draft = kind.upgrade(text.draft, text.schema)
    facts = kind.read_facts(kind.upgrade(text.item.facts, text.item.schema))
    if kind.voted:
        votes = kind.votes(facts, kind.read_draft(draft))
        return [(VOTES.removeprefix(FIELD), axis, value) for axis, value in votes.items()]
    compared = [field for field in kind.fields(facts) if field.how in COMPARED and not field.free]
    return [(field.name, "", kind.label(field, draft)) for field in compared]
