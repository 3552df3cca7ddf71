from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0028_run_texts"),
    ]

    operations = [
        migrations.AddField(
            model_name="slot",
            name="own",
            field=models.BooleanField(default=False),
        ),
        migrations.AddConstraint(
            model_name="slot",
            constraint=models.CheckConstraint(
                condition=Q(("own", False), ("stage", "annotate"), _connector="OR"),
                name="own_slots_are_for_annotating",
            ),
        ),
    ]
