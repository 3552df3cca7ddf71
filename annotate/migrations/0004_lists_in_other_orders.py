from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0003_batches_keep_their_rejects"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["project", "-changed_at", "-id"], name="items_by_change"),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["project", "-priority", "-id"], name="items_by_priority"),
        ),
    ]
