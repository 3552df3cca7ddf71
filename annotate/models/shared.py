from django.db import models


class CacheEntry(models.Model):
    """Short-lived values that all web processes share, such as used one-time codes: the table of Django's cache."""

    cache_key = models.CharField(primary_key=True, max_length=255)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "shared_cache"

    def __str__(self) -> str:
        return self.cache_key


class RateCounter(models.Model):
    """How often something was done in a window of time, counted over all processes of the installation."""

    key = models.CharField(primary_key=True, max_length=120)
    count = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key
