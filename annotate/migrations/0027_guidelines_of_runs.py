import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0026_shared_limits"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="guideline",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="annotate.guideline",
            ),
        ),
    ]
