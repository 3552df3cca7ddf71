from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0006_runs_and_tokens"),
    ]

    operations = [
        migrations.AddField(
            model_name="endpoint",
            name="approved",
            field=models.BooleanField(default=True, verbose_name="approved by whoever runs the server"),
        ),
    ]
