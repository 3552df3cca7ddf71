"""Own questions of the type `pair` as battles of the models that hidden columns name: `model_a` for the text `a`.

Only leads see these columns, so only they see the ranking.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from annotate.kinds.questions.model_names import name_columns
from annotate.kinds.questions.types.pair import Pair
from annotate.models import Item, Member
from judging.access import pair_questions
from judging.boards.options import BoardOptions
from judging.cache import cached
from judging.ratings.preferences import SAME_AUTHOR, BattleSide, Fight
from judging.ratings.question_ratings import QuestionRatings
from judging.ratings.tables import answers_to_questions
from judging.ratings.units import Today

UNNAMED = "items that name no two models"
Names = Mapping[int, tuple[str, str]]  # item -> the models of the question's two columns


def may_see_models(options: BoardOptions, member: Member) -> bool:
    """Columns that nobody is shown are for leads."""
    return member.leads or not member.project.kind.defined


def question_sides(today: Today, name: str = "") -> list[BattleSide]:
    """People first, then judges by name, of this question, or of the first one. Cached until something changes.

    Each answer is a battle. On which side a text stood is not stored with an answer.
    """
    questions = pair_questions(today.project.kind)
    question = next((question for question in questions if question.name == name), next(iter(questions), None))
    if question is None:
        return []
    ratings, state = answers_to_questions(today)
    return cached(
        "question-sides", f"{state}:{question.name}", lambda: list(_sides(question, ratings, _named(today, question)))
    )


def _sides(question: Pair, ratings: QuestionRatings, names: Names) -> Iterator[BattleSide]:
    answers, judged = ratings.by_question.get(question.name, {}), ratings.judged.get(question.name, {})
    if answers:
        yield _side(None, ((item, value) for item, given in answers.items() for value in given.values()), names)
    for judge in sorted(ratings.judges):
        given = ((item, by_judge[judge]) for item, by_judge in judged.items() if judge in by_judge)
        side = _side(judge, given, names)
        yield BattleSide(ratings.judges[judge], side.fights, side.skipped)


def _side(judge: str | None, given: Iterable[tuple[int, str | float]], names: Names) -> BattleSide:
    skipped: Counter[str] = Counter()
    fights: list[Fight] = []
    for item, answer in given:
        models = names.get(item)
        if models is None:
            skipped[UNNAMED] += 1
        elif models[0] == models[1]:
            skipped[SAME_AUTHOR] += 1
        else:
            winner = _winner(answer)
            # No text is an answer of a candidate: their numbers are those of nobody.
            fights.append(Fight(item, (-2 * item, 1 - 2 * item), models, winner, winner, (), ordered=False))
    return BattleSide(None, fights, dict(skipped))


def _winner(answer: str | float) -> str:
    """Also of an answer with strength, a number that is positive for the first text."""
    if isinstance(answer, str):
        return {"first": "left", "second": "right"}.get(answer, "tie")
    return "left" if answer > 0 else "right" if answer < 0 else "tie"


# --- who wrote the texts ----------------------------------------------------------------------------------------------
def _named(today: Today, question: Pair) -> Names:
    rows = Item.objects.counted().filter(project=today.project, metadata__isnull=False)
    metadata = {pk: values or {} for pk, values in rows.values_list("pk", "metadata").iterator(2000)}
    columns = name_columns(question.of, {column for values in metadata.values() for column in values})
    if columns is None:
        return {}
    names_by_item = {
        pk: (_name(values.get(columns[0])), _name(values.get(columns[1]))) for pk, values in metadata.items()
    }
    return {pk: names for pk, names in names_by_item.items() if all(names)}


def _name(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
