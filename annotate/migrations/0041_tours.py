"""An account remembers which tours were taken or declined, and where it is in one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0040_digests")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="tours",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
