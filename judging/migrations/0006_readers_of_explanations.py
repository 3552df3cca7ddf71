from typing import Any

from django.db import migrations, models
from django.db.migrations.state import StateApps

CHUNK = 1000


def name_the_strict_reader(apps: StateApps, schema_editor: Any) -> None:
    """Until now every reader of explanations was shown both answers and had to quote."""
    run, job, verdict = (
        apps.get_model(*name) for name in (("annotate", "Run"), ("annotate", "Job"), ("judging", "Verdict"))
    )
    for one in run.objects.filter(purpose="explanations"):
        one.options = {**one.options, "shown": "answers-and-quote"}
        one.save(update_fields=["options"])
    done = job.objects.filter(run__purpose="explanations", state="done").values_list("subject", flat=True)
    read = [int(subject.rpartition("/")[2]) for subject in done.iterator(CHUNK)]
    for start in range(0, len(read), CHUNK):
        some = verdict.objects.filter(pk__in=read[start : start + CHUNK], found_in_explanation__isnull=False)
        some.update(found_from="answers-and-quote")


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0026_shared_limits"),
        ("judging", "0005_authors_of_corrections"),
    ]

    operations = [
        migrations.AddField(
            model_name="verdict",
            name="found_from",
            field=models.CharField(
                blank=True,
                choices=[
                    ("explanation-only", "Explanation and score only"),
                    ("answers-and-quote", "Both answers, and a quote"),
                ],
                default="",
                max_length=20,
            ),
            preserve_default=False,
        ),
        migrations.RunPython(name_the_strict_reader, migrations.RunPython.noop, elidable=True),
    ]
