"""Pictures and other files for tests, made in memory."""

import zipfile
from collections.abc import Mapping
from io import BytesIO

from PIL import Image


def picture(
    kind: str = "PNG", size: tuple[int, int] = (4, 3), *, mode: str = "RGB", colour: str = "red", **options: object
) -> bytes:
    target = BytesIO()
    Image.new(mode, size, colour).save(target, kind, **options)
    return target.getvalue()


def opened(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


def packed(files: Mapping[str, bytes]) -> bytes:
    """A zip of them."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target.getvalue()
