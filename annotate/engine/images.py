"""Images of questions: looked up among the project's files before a question is asked, read when it is sent.

The ledger has a reference to each (name and SHA-256); the bytes go from the storage into the request and nowhere else.
"""

import asyncio
import hashlib
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from annotate.kinds.protocol import CallFailed, Cause, Question, QuestionImage
from annotate.media import storage
from annotate.models import Endpoint, Job, MediaFile

# Limits of one call. Of the large services, Gemini's is the lowest: 20 MB for a request with the images in base64.
MOST_IMAGES = 20
MOST_MEBIBYTES = 14
MOST_BYTES = MOST_MEBIBYTES * 1024 * 1024

StoredImages = dict[str, QuestionImage]  # by the names of their files; without titles


def stored_images(project_id: int, names: Collection[str]) -> StoredImages:
    """The images of these names that the project has. One query."""
    files = MediaFile.objects.filter(project=project_id, name__in=set(names), type__startswith="image/")
    return {
        file.name: QuestionImage(
            "", file.name, file.sha256, file.type, file.size, (file.width or 0) * (file.height or 0)
        )
        for file in files
    }


def with_stored(question: Question, stored: Mapping[str, QuestionImage]) -> Question:
    """The question with what is known of the images in its order; others stay without a SHA-256."""
    images = [replace(stored.get(image.name, image), title=image.title) for image in question.images]
    return replace(question, images=images)


class BadImage(Exception):
    """An image that cannot be sent; the text says which file and what to do."""


class QuestionImages:
    """The images that one worker has looked up: a name keeps its content as long as an item has it."""

    def __init__(self, project_id: int, endpoint: Endpoint) -> None:
        self._project_id, self._endpoint = project_id, endpoint
        self._stored: StoredImages = {}

    def looked_up(self, question: Question) -> Question:
        """The question as it can be sent.

        Raises BadImage if an image is missing, if all together are too large, or if the endpoint takes none: the
        definition may have changed since the run was planned.
        """
        if not self._endpoint.takes_images:
            raise BadImage(f"the endpoint {self._endpoint} takes no images. Tick “Takes images” there, then retry.")
        if unknown := {image.name for image in question.images} - self._stored.keys():
            self._stored |= stored_images(self._project_id, unknown)
        question = with_stored(question, self._stored)
        if fault := _fault(question.images):
            raise BadImage(fault)
        return question

    async def data_urls(self, question: Question) -> dict[str, str]:
        """sha256 -> data URL of each image of a question that was looked up. Read in a thread: images are large.

        Raises BadImage if bytes are missing, or are not those that were stored.
        """
        by_content = {image.sha256: image for image in question.images}
        return await asyncio.to_thread(self._read, by_content) if by_content else {}

    def _read(self, images: Mapping[str, QuestionImage]) -> dict[str, str]:
        return {digest: self._data_url(image) for digest, image in images.items()}

    def _data_url(self, image: QuestionImage) -> str:
        try:
            with storage.opened(MediaFile(project_id=self._project_id, sha256=image.sha256).stored_as) as file:
                data = file.read()
        except OSError as gone:
            raise BadImage(_unreadable(image, "missing")) from gone
        if hashlib.sha256(data).hexdigest() != image.sha256:
            raise BadImage(_unreadable(image, "damaged"))
        return f"data:{image.type};base64,{b64encode(data).decode()}"


def _unreadable(image: QuestionImage, fault: str) -> str:
    return f"the stored file of the image “{image.name}” is {fault}. Restore it from a backup, then retry."


def _fault(images: Sequence[QuestionImage]) -> str:
    """What is wrong with the images of a call, a sentence; "" for nothing."""
    missing = next((image for image in images if not image.sha256), None)
    if missing is not None:
        return f"the project has no image “{missing.name}”. Add the file, then retry."
    size = sum(image.size for image in images)
    if len(images) <= MOST_IMAGES and size <= MOST_BYTES:
        return ""
    largest = max(images, key=lambda image: image.size)
    mebibytes = f"{size / 1024 / 1024:.1f} MiB, most of it in “{largest.name}”"
    limit = f"a call takes at most {MOST_IMAGES} images with {MOST_MEBIBYTES} MiB"
    return f"it shows {len(images)} images with {mebibytes}; {limit}. Show fewer or smaller ones."


def failure(bad: BadImage, job: Job, step: str) -> CallFailed:
    """The end of a job with an image that cannot be sent; names the item. One query."""
    key = Job.objects.filter(pk=job.pk).values_list("item__key", flat=True).first()
    return CallFailed(Cause.UNSUITABLE, f"Item {key or job.subject}: {bad}", step=step)
