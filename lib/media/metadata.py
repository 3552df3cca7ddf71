"""Files without what they tell beside their content: who made them, where, when and with what.

Images are made anew from their pixels (lib/media/sniffing.py). Of sound, the sound itself is kept and nothing else; PDF
files are written anew by a program with limits of memory and time (lib/media/pdf_program.py).
"""

import os
import re
import struct
import subprocess
import sys
from dataclasses import replace

from lib.media import pdf_program
from lib.media.pdf_program import OK, STOPPED
from lib.media.sniffing import MIB, BadContent, Content
from lib.texts.stored_sentences import say as _

MOST_MEMORY = 512 * MIB  # of the program
MOST_SECONDS = 60  # until it has ended, however busy the machine is
MOST_PIECES = 10_000  # of a file that are looked at and are no sound

# MPEG audio, layer III: kbit/s by index, and samples a second by index, for version 1 and for the others.
RATES = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
LOW_RATES = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
SAMPLES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}  # by the bits of the version
_SYNC = re.compile(rb"\xff[\xe2\xe3\xf2\xf3\xfa\xfb]")  # begins a frame of layer III


def without_metadata(content: Content) -> Content:
    """The content as it is stored. Raises BadContent if its metadata cannot be removed."""
    match content.type:
        case "application/pdf":
            return replace(content, data=_pdf(content.data))
        case "audio/mpeg":
            return replace(content, data=_mp3(content.data))
        case "audio/wav":
            return replace(content, data=_wav(content.data))
    return content


def _pdf(data: bytes) -> bytes:
    words = [sys.executable, "-I", pdf_program.__file__, str(MOST_MEMORY)]
    environment = {"PATH": os.environ.get("PATH", "")}
    try:
        output = subprocess.run(
            words,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            timeout=MOST_SECONDS,
            check=False,
        ).stdout
    except subprocess.TimeoutExpired:
        output = b""
    if output.startswith(OK):
        return output[len(OK) :]
    raise BadContent(_why_not(output.removeprefix(STOPPED).decode()))


def _why_not(code: str) -> str:
    match code:
        case "missing":
            return _("cannot be stored without the package pypdf, which removes its metadata. Run `make setup`.")
        case "encrypted":
            return _(
                "is encrypted, so its metadata cannot be removed. Save it without a password, or print it to a PDF."
            )
        case "form":
            return _("is a form of the kind XFA, whose metadata cannot be removed. Print it to a PDF.")
        case "damaged":
            return _("is damaged, or only begins like a PDF, so its metadata cannot be removed. Print it to a PDF.")
    return _("needs too much memory or time for its metadata to be removed. Make it smaller, or print it to a PDF.")


def _wav(data: bytes) -> bytes:
    """The format and the samples; what editors and recorders write beside them is left out."""
    chunks: dict[bytes, bytes] = {}
    offset, pieces = 12, 0
    while offset + 8 <= len(data) and b"data" not in chunks and pieces < MOST_PIECES:
        name, size = struct.unpack_from("<4sI", data, offset)
        if name in (b"fmt ", b"fact", b"data"):
            chunks.setdefault(name, data[offset + 8 : offset + 8 + size])
        offset, pieces = offset + 8 + size + size % 2, pieces + 1
    if len(chunks.get(b"fmt ", b"")) < 16 or not chunks.get(b"data"):
        raise BadContent(_("holds no sound that can be read, or is damaged. Save it as WAV again."))
    body = b"".join(
        name + struct.pack("<I", len(chunk)) + chunk + bytes(len(chunk) % 2) for name, chunk in chunks.items()
    )
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WAVE" + body


def _mp3(data: bytes) -> bytes:
    """The frames of sound; tags before, between and behind them are left out, and so is a frame that was cut off."""
    runs: list[bytes] = []
    offset = 0
    for _piece in range(MOST_PIECES):
        begin = _next_sync(data, offset)
        if begin is None and runs:
            return b"".join(runs)
        if begin is None:
            break
        end, frames = _run(data, begin)
        if frames > 1:  # one alone may be any bytes of a tag
            runs.append(data[begin:end])
        offset = end if frames > 1 else begin + 1
    raise BadContent(_("holds no sound that can be read, or is damaged. Save it as MP3 again."))


def _next_sync(data: bytes, offset: int) -> int | None:
    """Where bytes begin that may be a frame, behind tags of the kind ID3v2, whose pictures may hold such bytes."""
    while data.startswith(b"ID3", offset) and len(data) >= offset + 10:
        sizes = [byte & 0x7F for byte in data[offset + 6 : offset + 10]]
        size = sizes[0] << 21 | sizes[1] << 14 | sizes[2] << 7 | sizes[3]
        offset += 10 + size + (10 if data[offset + 5] & 0x10 else 0)
    match = _SYNC.search(data, offset)
    return match.start() if match else None


def _run(data: bytes, offset: int) -> tuple[int, int]:
    """(where it ends, how many frames) of whole frames that follow each other from here on."""
    frames = 0
    while (size := _frame_size(data[offset : offset + 4])) and offset + size <= len(data):
        offset, frames = offset + size, frames + 1
    return offset, frames


def _frame_size(head: bytes) -> int:
    """The bytes of the frame that begins with these four; 0 if none does, or none whose size can be told."""
    if len(head) < 4 or not _SYNC.match(head):
        return 0
    version, rate, samples = head[1] >> 3 & 3, head[2] >> 4, head[2] >> 2 & 3
    if rate in (0, 15) or samples == 3:
        return 0
    bits = 144_000 * RATES[rate] if version == 3 else 72_000 * LOW_RATES[rate]
    return bits // SAMPLES[version][samples] + (head[2] >> 1 & 1)
