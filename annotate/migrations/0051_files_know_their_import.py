"""Which import brought a file, so that its report can list them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0050_endpoints_that_take_images")]

    operations = [
        migrations.AddField(
            model_name="mediafile",
            name="batch",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="media",
                to="annotate.batch",
            ),
        ),
    ]
