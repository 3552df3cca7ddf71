from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0007_endpoints_say_who_approved_them"),
    ]

    operations = [
        migrations.AddField(
            model_name="promptversion",
            name="adopted",
            field=models.BooleanField(default=True, verbose_name="in use"),
        ),
    ]
