from django.db import migrations, models


class Migration(migrations.Migration):
    """Suggestions may hold further candidates for some fields; a person's text says which one it began with."""

    dependencies = [
        ("annotate", "0009_repeatable_requests"),
    ]

    operations = [
        migrations.AddField(
            model_name="annotation",
            name="candidates",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="annotation",
            name="picked",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
    ]
