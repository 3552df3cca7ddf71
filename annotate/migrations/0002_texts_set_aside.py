import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="SetAside",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("draft", models.JSONField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "annotation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="set_aside", to="annotate.annotation"
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
    ]
