from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0027_guidelines_of_runs"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="texts",
            field=models.ManyToManyField(blank=True, related_name="runs_with_text", to="annotate.promptversion"),
        ),
    ]
