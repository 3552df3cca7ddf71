"""Whether an item was withdrawn by whoever reported it; asked wherever something would be written about it."""

from django.utils.translation import gettext as _

from annotate.models import Erasure
from annotate.services.errors import WrongState


def is_withdrawn(item_id: int) -> bool:
    return Erasure.objects.filter(item_id=item_id).exists()


def refuse_withdrawn(item_id: int, error: type[Exception] = WrongState) -> None:
    """Raises the error where nothing may be written about this item any more."""
    if is_withdrawn(item_id):
        raise error(_("Whoever reported this case has withdrawn it. Nothing more can be written about it."))
