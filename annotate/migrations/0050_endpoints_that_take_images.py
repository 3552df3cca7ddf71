"""Whether a model sees images is said at its endpoint."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0049_comments_on_spans")]

    operations = [
        migrations.AddField(
            model_name="endpoint",
            name="takes_images",
            field=models.BooleanField(default=False, verbose_name="takes images"),
        ),
    ]
