"""Problems of imports name their sentence by its English text; these texts were reworded, so the stored ones follow.

The message itself, which is shown where a sentence cannot be composed, stays as it was written. Going back changes
nothing: an older version shows the reworded sentences in English.
"""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

AT_ONCE = 100  # imports; each lists a thousand problems at most


def reword(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    imports = apps.get_model("annotate", "Batch").objects
    pks = list(imports.exclude(problems=[]).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(pks), AT_ONCE):
        batches = list(imports.filter(pk__in=pks[start : start + AT_ONCE]).only("problems"))
        for batch in batches:
            batch.problems = [_problem(problem) for problem in batch.problems]
        imports.bulk_update(batches, ["problems"])


def _problem(problem: dict[str, Any]) -> dict[str, Any]:
    return problem | {"said": _sentence(problem["said"])} if problem.get("said") else problem


def _sentence(value: Any) -> Any:
    """A stored sentence and those among its values, with the new texts; other values unchanged."""
    if not isinstance(value, dict):
        return value
    values = {name: _sentence(inner) for name, inner in value["values"].items()}
    return value | {"id": WORDINGS.get(value["id"], value["id"]), "values": values}


# Pairs of an old text and its new one.
PAIRS = [
    (
        "The server could not go on: %(cause)s. What was kept stays.",
        "The server could not continue: %(cause)s. Imported rows are kept.",
    ),
    (
        "A fault in this program stopped the import; its log says more. What was kept stays.",
        "A bug in Touchstone stopped the import; see its log. Imported rows are kept.",
    ),
    (
        "A quoted cell goes on after its closing quote. Double the quotes that belong to the text.",
        "A quoted cell continues after its closing quote. Double the quotes that belong to the text.",
    ),
    (
        "The record has %(cells)s cells, the header names %(columns)s. Quote cells that hold separators.",
        "The record has %(cells)s cells, but the header has %(columns)s columns. Quote cells that contain separators.",
    ),
    (
        "The text holds a NUL character. Remove it.",
        "The text contains a NUL character. Remove it.",
    ),
    (
        "The file holds no rows.",
        "The file contains no rows.",
    ),
    (
        "After element %(count)s brackets open endlessly; this is not a list of rows.",
        "After element %(count)s brackets are nested without end; this is not a list of rows.",
    ),
    (
        "After element %(count)s a “}” stands where the list should go on or end with “]”.",
        "After element %(count)s there is a “}” where the list should continue or end with “]”.",
    ),
    (
        "The row holds more than %(limit)s values. Split it into several rows.",
        "The row contains more than %(limit)s values. Split it into several rows.",
    ),
    (
        "The name stands twice in the same object. Keep one of the two.",
        "The name appears twice in the same object. Keep one of them.",
    ),
    (
        "The text holds a NUL character (\\u0000). Remove it.",
        "The text contains a NUL character (\\u0000). Remove it.",
    ),
    (
        "The text holds half of a surrogate pair, such as \\ud83d. Remove or complete it.",
        "The text contains half of a surrogate pair, such as \\ud83d. Remove or complete it.",
    ),
    (
        "The name does not tell the format. Known endings: %(endings)s (also with .gz). Formats: %(slugs)s.",
        "The file name does not show the format. Known endings: %(endings)s (also with .gz). Formats: %(slugs)s.",
    ),
    (
        "The gzip file is cut off. Copy or download it again.",
        "The gzip file is incomplete. Copy or download it again.",
    ),
    (
        "The file cannot be read on: %(cause)s.",
        "The rest of the file cannot be read: %(cause)s.",
    ),
    (
        "The file holds more than %(limit)s MiB. Split it into smaller ones.",
        "The file is larger than %(limit)s MiB. Split it into smaller ones.",
    ),
    (
        "The file is full of NUL characters: it is binary, or text in UTF-16. Save it as UTF-8.",
        "The file is full of NUL characters: it is binary, or UTF-16 text. Save it as UTF-8.",
    ),
    (
        "The file may not be read. Give the account that runs this the right to read it.",
        "There is no permission to read the file. Give the account that runs this read access.",
    ),
    (
        "The command was interrupted. Run it again: the rows that were kept are skipped.",
        "The command was interrupted. Run it again: imported rows are skipped.",
    ),
    (
        "No row was kept. Mend what is named below, or change how the file is read, and import it again.",
        "No row was imported. Fix the problems below, or change how the file is read, and import it again.",
    ),
    (
        "Nothing was kept, because not everything is right (--strict).",
        "Nothing was imported, because there are errors (--strict).",
    ),
    (
        "The scenario %(name)s makes no items of the kind %(kind)s. Scenarios for it: %(fitting)s.",
        "The scenario %(name)s does not create items of the kind %(kind)s. Suitable scenarios: %(fitting)s.",
    ),
    (
        "The same content stands in %(where)s already; that one counts.",
        "The same content is already in %(where)s; that one is used.",
    ),
    (
        "The key “%(key)s” stands in %(where)s already, with other facts; that one counts.",
        "The key “%(key)s” is already in %(where)s, with other facts; that one is used.",
    ),
    (
        "The key “%(key)s” stands in %(where)s already; that one counts.",
        "The key “%(key)s” is already in %(where)s; that one is used.",
    ),
    (
        "The same content is stored already, as “%(key)s”.",
        "The same content is already stored as “%(key)s”.",
    ),
    (
        "The key “%(key)s” is stored already, with other facts; they stay as they are.",
        "The key “%(key)s” is already stored with other facts; they are not changed.",
    ),
    (
        "The key “%(key)s” is stored already.",
        "The key “%(key)s” is already stored.",
    ),
    (
        "an address of a computer",
        "an IP address",
    ),
    (
        "a link that opens something",
        "a private link",
    ),
    (
        "a name of a person",
        "a person's name",
    ),
    (
        "holds what looks like %(what)s (%(shown)s). Is it meant to be there?",
        "contains what looks like %(what)s (%(shown)s). Is it meant to be there?",
    ),
    (
        "a check needs its expected answer: give it under `final`, or accept the drafts of the file.",
        "a check needs its expected answer: put it in `final`, or accept the drafts of the file.",
    ),
    (
        "there is no draft in this row that could be accepted.",
        "this row has no draft to accept.",
    ),
    (
        "the draft calls its item unsuitable; such a row cannot be accepted.",
        "the draft marks its item as unusable; such a row cannot be accepted.",
    ),
    (
        "must be text, and not empty; leave it out to have one made.",
        "must be text and not empty; leave it out to generate one.",
    ),
    (
        "%(why)s It is no work but a check; make it work first.",
        "%(why)s It is a check, not work; make it work first.",
    ),
    (
        "%(why)s It is decided or worked on: only a new round can change it.",
        "%(why)s It is decided or in progress: only a new round can change it.",
    ),
    (
        "Somebody is moving “%(key)s” right now. Import the row again.",
        "Someone is changing “%(key)s” right now. Import the row again.",
    ),
    (
        "name the criterion and say what is looked at.",
        "name the criterion and describe it.",
    ),
    (
        "the guideline needs words for every score from 1 to 5.",
        "describe every score from 1 to 5 in the guideline.",
    ),
    (
        "its guideline or judgement names another criterion; the ids have to lead from one to the next.",
        "its guideline or judgement refers to another criterion; the ids must match.",
    ),
    (
        "has the name of another criterion: merge them, or name it apart.",
        "has the name of another criterion: merge them, or rename it.",
    ),
    (
        "weigh every criterion, or none.",
        "weight every criterion, or none.",
    ),
    (
        "no weight may lie below 0.",
        "weights cannot be below 0.",
    ),
    (
        "some criterion has to weigh something.",
        "at least one criterion needs a weight above 0.",
    ),
    (
        "rests on a judgement that is not there.",
        "refers to a judgement that does not exist.",
    ),
    (
        "a score stands there without a reason.",
        "a score has no reason.",
    ),
    (
        "the sums put another response ahead than people did.",
        "the totals favour another response than people did.",
    ),
    (
        "the correction says what the response says.",
        "the correction is the same as the response.",
    ),
    (
        "Answer each question by itself, by the answer's text: one that fails a question may meet the next.",
        (
            "Answer each question on its own, from the text of the answer: an answer may fail one question and "
            "meet the next."
        ),
    ),
    (
        "one vote for each of the %(n)d questions.",
        "give one vote for each of the %(n)d questions.",
    ),
    (
        "one reason, perhaps empty, for each of the %(n)d questions.",
        "give one reason, which may be empty, for each of the %(n)d questions.",
    ),
    (
        "the weight is %(weight)s; it must lie between 0 and 1.",
        "the weight is %(weight)s; it must be between 0 and 1.",
    ),
    (
        "question %(no)d weighs nothing.",
        "question %(no)d has weight 0.",
    ),
    (
        "“%(value)s” stands twice.",
        "“%(value)s” appears twice.",
    ),
    (
        "%(share)s %% of the text changed, which is much for “%(category)s”.",
        "%(share)s %% of the text changed, which is a lot for “%(category)s”.",
    ),
    (
        "Choose the answer that is better for the person who asked. A small difference is a difference.",
        "Choose the answer that is better for the person who asked. Small differences count.",
    ),
    (
        "either one would serve them as well.",
        "both would help them equally.",
    ),
    (
        "choose one of the five.",
        "choose one of the five options.",
    ),
    (
        "write the gold answer as it should be.",
        "write the corrected gold answer.",
    ),
    (
        "Score each criterion alone. Use the whole scale: the lowest helps nobody, the highest lacks nothing.",
        (
            "Score each criterion on its own. Use the whole scale: the lowest score helps nobody, the highest "
            "lacks nothing."
        ),
    ),
    (
        "“%(name)s” is no criterion of this project. It has: %(criteria)s.",
        "“%(name)s” is not a criterion of this project. It has: %(criteria)s.",
    ),
    (
        "is not an option of this kind; take it out.",
        "is not an option of this kind; remove it.",
    ),
    (
        "is not a field of this kind; take it out or put it under `provenance`.",
        "is not a field of this kind; remove it or put it under `provenance`.",
    ),
    (
        "there is no reference answer yet; judges that need one leave the case out.",
        "there is no reference answer yet; judges that need one skip the case.",
    ),
    (
        "say whether the case holds personal data.",
        "say whether the case contains personal data.",
    ),
    (
        "write the question that candidates are to answer.",
        "write the question for the candidates to answer.",
    ),
    (
        "is empty. Leave the row out where nobody has answered.",
        "is empty. Leave out rows without an answer.",
    ),
    (
        "holds characters that cannot be printed. Write the name in one line of plain text.",
        "contains characters that cannot be printed. Write the name as one line of plain text.",
    ),
    (
        "This answer is here already, word for word.",
        "This exact answer already exists.",
    ),
    (
        "Battles: a row for who won between two models",
        "Battles: one row per win between two models",
    ),
    (
        "is the model on the left too.",
        "is also the model on the left.",
    ),
    (
        "Checklist verdicts of people: a row for each question, or for each answer",
        "Human checklist verdicts: one row per question, or per answer",
    ),
    (
        "This rater has a verdict on this question of this answer in line %(line)d already.",
        "This rater already has a verdict on this question of this answer in line %(line)d.",
    ),
    (
        "must be the sample's place in the published dataset, counted from 0.",
        "must be the sample's index in the published dataset, counted from 0.",
    ),
    (
        "is missing: this is no row of judgements.",
        "is missing: this is not a row of judgements.",
    ),
    (
        "must be a name in one line, of at most %(most)d characters.",
        "must be a one-line name of at most %(most)d characters.",
    ),
    (
        "is missing or no text.",
        "is missing or not text.",
    ),
    (
        "is missing; where nothing could be read it must be null.",
        "is missing; use null where nothing could be read.",
    ),
    (
        "a row must have the fields of exactly one way of asking: %(wanted)s.",
        "a row must have the fields of exactly one strategy: %(wanted)s.",
    ),
    (
        "must be a whole number from 0.",
        "must be a whole number of 0 or more.",
    ),
    (
        "Whose verdicts a file without workers holds",
        "Judge of a file without workers",
    ),
    (
        (
            "The file does not say which judge gave these verdicts. Say whose they are: as the judge in the "
            "form, with --option judge=NAME, or in a column `judge`."
        ),
        (
            "The file does not name the judge of these verdicts. Enter the judge in the form, use --option "
            "judge=NAME, or add a column `judge`."
        ),
    ),
    (
        "asks other questions than conversation_a.",
        "has other questions than conversation_a.",
    ),
    (
        "is no vote: a person's must be model_a, model_b or tie.",
        "is not a vote: a person's must be model_a, model_b or tie.",
    ),
    (
        "Ratings: a row for each vote on a pair or an answer",
        "Ratings: one row per vote on a pair or an answer",
    ),
    (
        "is the author of the first answer too.",
        "is also the author of the first answer.",
    ),
    (
        "a row must name a rater or a judge, and not both.",
        "a row must name either a rater or a judge.",
    ),
    (
        "No answer of “%(author)s” to this item is here. Import the answers or judgements first.",
        "There is no answer by “%(author)s” to this item. Import the answers or judgements first.",
    ),
    (
        "is no question of this item's checklist: “%(question)s”.",
        "is not a question of this item's checklist: “%(question)s”.",
    ),
    (
        "asks what another verdict of the same rater answers: “%(question)s”.",
        "is already answered by another verdict of the same rater: “%(question)s”.",
    ),
    (
        "The checklist was changed after people voted on this answer by the older one.",
        "The checklist has changed since people voted on this answer.",
    ),
    (
        "Already here and said otherwise: %(what)s. What is here stays.",
        "Already stored with another value: %(what)s. The stored value was kept.",
    ),
    (
        "%(n)d of %(all)d questions have no verdict of this rater; they are left out of all figures.",
        "%(n)d of %(all)d questions have no verdict of this rater; they are left out of all numbers.",
    ),
    (
        "The item “%(key)s” is here already with other texts; they stay as they are.",
        "The item “%(key)s” already exists with other texts; they were kept.",
    ),
    (
        (
            "The row holds no texts, and items of this kind are made of them. Import it into a project of "
            "preference votes."
        ),
        "The row has no texts, and items of this kind consist of them. Import it into a project of preference votes.",
    ),
    (
        "Another verdict of this judge on this answer is here already, and stays.",
        "This judge already has another verdict on this answer; it was kept.",
    ),
    (
        "The item “%(key)s” is not decided: accept it first, then import again.",
        "The item “%(key)s” is not accepted yet. Accept it, then import again.",
    ),
    (
        "Several items begin with this message, so nobody can say which is meant.",
        "Several items begin with this message, so the match is not clear.",
    ),
    (
        "No decided item of this project begins with this message.",
        "No accepted item of this project begins with this message.",
    ),
    (
        (
            "There is no item with the key “%(key)s” in this project. Import the items first; a published "
            "dataset in its own format (--format), which gives them these keys."
        ),
        (
            "There is no item with the key “%(key)s” in this project. Import the items first. For a published "
            "dataset use its own format (--format), which sets these keys."
        ),
    ),
    (
        "Failed call: “%(instead)s” stands where the judgement should. It is kept and counts 0.",
        "Failed call: the judgement is “%(instead)s”. It is kept and counts as 0.",
    ),
    (
        "The file's own score is %(file)s; what was said about each question gives %(ours)s.",
        "The file's own score is %(file)s; the verdicts on the questions give %(ours)s.",
    ),
    (
        "Answered and judged with other texts than the item has today:",
        "The item had other texts when it was answered and judged:",
    ),
    (
        "The item “%(key)s” is here already with answers of other authors.",
        "The item “%(key)s” already exists with answers of other authors.",
    ),
]
WORDINGS = dict(PAIRS)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0033_plain_labels")]

    operations = [migrations.RunPython(reword, migrations.RunPython.noop)]
