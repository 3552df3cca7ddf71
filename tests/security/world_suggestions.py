"""What models said beside the first suggestion: candidates to pick from, newer suggestions, labels."""

from collections.abc import Callable

from annotate.models import Annotation, Classification, Project, Run, Slot

Say = Callable[[str], str]


def suggestions(project: Project, run: Run, say: Say) -> None:
    """For every item that somebody is annotating now."""
    held = Slot.objects.held().filter(project=project, stage="annotate").order_by("pk")
    for annotation in Annotation.objects.filter(slot__in=held).select_related("suggestion", "item"):
        assert annotation.suggestion is not None
        draft = {"feedback": say("candidate"), "feedback_type": ["Hinting Guidance"]}
        annotation.suggestion.candidates = [{"label": say("type of a candidate"), "draft": draft}]
        annotation.suggestion.note = say("reasons of a model")
        annotation.suggestion.save()
        changed = {**annotation.suggestion.draft, "reference_first_response": say("newer reference")}
        Annotation.objects.create(
            item=annotation.item,
            run=run,
            model=say("newer model")[:120],
            prompt_version=say("newer prompt")[:80],
            simulated=True,
            draft=changed,
            candidates=[{"label": say("type of a newer candidate"), "draft": {**draft, "feedback": say("newer one")}}],
        )


def labels(project: Project, run: Run, say: Say) -> None:
    for place, item in enumerate(project.items.order_by("pk")):
        listed = place % 2 == 0
        label = "Knowledge Q&A;Objective Facts" if listed else say("label of a model")[:240]
        group = label.split(";")[0][:120]
        Classification.objects.create(run=run, item=item, label=label, group=group, listed=listed)
