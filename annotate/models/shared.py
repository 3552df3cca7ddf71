from django.db import models


class CacheEntry(models.Model):
    """What all web processes share for a while, such as one-time codes that were used: the table of Django's cache."""

    cache_key = models.CharField(primary_key=True, max_length=255)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "shared_cache"

    def __str__(self) -> str:
        return self.cache_key


class RateCounter(models.Model):
    """How often something was done in a window of time, counted by all processes of the installation together."""

    key = models.CharField(primary_key=True, max_length=120)
    count = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key
