"""Saved views are in the table that all pages share."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("judging", "0014_hand_over_saved_views")]

    operations = [migrations.DeleteModel(name="SavedView")]
