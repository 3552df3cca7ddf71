"""A small client of Touchstone's API. Python 3.11, nothing else; copy it into your program and change what you like.

client = Touchstone("https://touchstone.example.org", token=os.environ["TOUCHSTONE_TOKEN"])
report = client.import_file("fb", Path("rows.jsonl"))
for item in client.items("fb", state="accepted"):
    print(item["key"])
client.download(client.make_release("fb", note="nightly"), Path("release.jsonl"))
"""

import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from io import IOBase
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

Json = dict[str, Any]
PIECE = 1024 * 1024
WORTH_ANOTHER_ATTEMPT = {429, 502, 503, 504}


class _StaysHere(HTTPRedirectHandler):
    """A redirect would carry the token to another server."""

    def redirect_request(self, *_args: Any) -> None:
        return None


_opener = build_opener(_StaysHere)


class Refused(Exception):
    """An error of the API. code and where are for programs, message and remedy for people."""

    def __init__(self, status: int, told: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(told.get("code", ""))
        self.message = str(told.get("message", ""))
        self.where = str(told.get("where", ""))
        self.remedy = str(told.get("remedy", ""))
        place = f" ({self.where})" if self.where else ""
        super().__init__(f"{status} {self.code}{place}: {self.message} {self.remedy}".strip())


@dataclass(frozen=True)
class Touchstone:
    """base_url: of the installation, without /api. attempts: how often a request is tried when the line is bad."""

    base_url: str
    token: str
    timeout: float = 60.0
    attempts: int = 4

    # --- projects and items ---------------------------------------------------------------------------------------
    def project(self, slug: str) -> Json:
        return self._get(f"projects/{slug}/")

    def items(self, slug: str, **filters: str | int) -> Iterator[Json]:
        """All items that pass the filters, page by page as they are asked for."""
        return self._pages(f"projects/{slug}/items/", filters)

    def item(self, slug: str, item: int) -> Json:
        return self._get(f"projects/{slug}/items/{item}/")

    def history(self, slug: str, item: int) -> Json:
        return self._get(f"projects/{slug}/items/{item}/history/")

    def comments(self, slug: str, item: int) -> list[Json]:
        threads: list[Json] = self._get(f"projects/{slug}/items/{item}/comments/")["results"]
        return threads

    # --- imports --------------------------------------------------------------------------------------------------
    def import_file(self, slug: str, path: Path, *, wait: float | None = 600.0, **settings: str) -> Json:
        """The report of importing a file; settings such as drafts="final". wait: seconds, None not to wait."""
        query = urlencode({"file_name": path.name, **settings})
        with path.open("rb") as file:
            size = path.stat().st_size
            made = self._post(f"projects/{slug}/imports/?{query}", file, "application/jsonl", length=size)
        address = f"projects/{slug}/imports/{made['id']}/"
        return made if wait is None else self._until(address, {"done", "failed"}, wait)

    def rejects(self, slug: str, batch: int, target: Path) -> Path:
        """The refused rows with what is wrong with them."""
        return self._save(f"projects/{slug}/imports/{batch}/rejects/", target)

    # --- runs -----------------------------------------------------------------------------------------------------
    def plan_run(self, slug: str, *, purpose: str, endpoint: str, **form: Any) -> Json:
        """A planned run; nothing is sent to a model yet. form: items, options, limit, budget, shares_replies."""
        return self._make(f"projects/{slug}/runs/", {"purpose": purpose, "endpoint": endpoint, **form})

    def estimate(self, slug: str, run: int) -> Json:
        return self._get(f"projects/{slug}/runs/{run}/estimate/")

    def act(self, slug: str, run: int, verb: str) -> Json:
        """verb: start, pause, resume, cancel or retry. Raises Refused (409) where the run is not in that state."""
        return self._post(f"projects/{slug}/runs/{run}/{verb}/", b"", "application/json", repeatable=False)

    def progress(self, slug: str, run: int) -> Json:
        return self._get(f"projects/{slug}/runs/{run}/progress/")

    def wait_for_run(self, slug: str, run: int, *, wait: float = 3600.0) -> Json:
        """The progress of the run once it has ended."""
        return self._until(f"projects/{slug}/runs/{run}/progress/", {"finished", "cancelled"}, wait, every=5.0)

    # --- releases -------------------------------------------------------------------------------------------------
    def releases(self, slug: str) -> Iterator[Json]:
        return self._pages(f"projects/{slug}/releases/", {})

    def make_release(self, slug: str, *, wait: float | None = 600.0, **form: Any) -> Json:
        """A new version; form: state, groups, languages, splits, seed, note, licence."""
        made = self._make(f"projects/{slug}/releases/", form)
        address = f"projects/{slug}/releases/{made['version']}/"
        told = made if wait is None else self._until(address, {"done", "failed"}, wait)
        return told | {"project": slug}

    def download(self, release: Mapping[str, Any], target: Path) -> Path:
        """The rows of a release with its manifest beside them; raises ValueError unless they arrive as they are."""
        address = f"projects/{release['project']}/releases/{release['version']}"
        manifest = self._get(f"{address}/manifest/")
        self._save(f"{address}/download/", target)
        with target.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != manifest["sha256"]:
            raise ValueError(f"{target} arrived with the SHA-256 {digest}, not {manifest['sha256']}.")
        beside = target.with_name(f"{target.name}.manifest.json")
        beside.write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        return target

    # --- how it is asked ------------------------------------------------------------------------------------------
    def _get(self, path: str, query: Mapping[str, Any] | None = None) -> Json:
        asked = f"{path}?{urlencode(query)}" if query else path
        with self._answer(self._request(asked)) as answer:
            return dict(json.load(answer))

    def _pages(self, path: str, query: Mapping[str, Any]) -> Iterator[Json]:
        cursor: str | None = ""
        while cursor is not None:
            told = self._get(path, {**query, "cursor": cursor} if cursor else query)
            yield from told["results"]
            cursor = told["next"]

    def _make(self, path: str, form: Mapping[str, Any]) -> Json:
        return self._post(path, json.dumps(form).encode(), "application/json")

    def _post(
        self, path: str, body: bytes | IO[bytes], media_type: str, *, length: int | None = None, repeatable: bool = True
    ) -> Json:
        """The key makes it safe to send a request again whose answer was lost: it makes nothing twice."""
        request = self._request(path, body)
        request.add_header("Content-Type", media_type)
        if length is not None:
            request.add_header("Content-Length", str(length))
        if repeatable:
            request.add_header("Idempotency-Key", uuid.uuid4().hex)
        with self._answer(request, again=repeatable) as answer:
            return dict(json.load(answer))

    def _save(self, path: str, target: Path) -> Path:
        with self._answer(self._request(path)) as answer, target.open("wb") as file:
            while piece := answer.read(PIECE):
                file.write(piece)
        return target

    def _until(self, path: str, states: set[str], wait: float, every: float = 1.0) -> Json:
        end = time.monotonic() + wait
        while True:
            told = self._get(path)
            if told["state"] in states:
                return told
            if time.monotonic() > end:
                raise TimeoutError(f"{path} is still {told['state']} after {wait:g} seconds.")
            time.sleep(every)

    def _request(self, path: str, body: bytes | IO[bytes] | None = None) -> Request:
        address = f"{self.base_url.rstrip('/')}/api/v1/{quote(path, safe='/?=&%+')}"
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "*/*"}
        return Request(address, data=body, headers=headers)  # noqa: S310 - where the caller says

    def _answer(self, request: Request, *, again: bool = True) -> HTTPResponse:
        """Raises Refused, or OSError or HTTPException where nobody answers to the end."""
        for attempt in range(1, self.attempts + 1):
            last = attempt == self.attempts or not again
            try:
                if isinstance(request.data, IOBase):
                    request.data.seek(0)
                answer: HTTPResponse = _opener.open(request, timeout=self.timeout)
            except HTTPError as error:
                refused = _refused(error)
                # unfinished: the first attempt, whose answer was lost, is still being worked on
                if last or not (error.code in WORTH_ANOTHER_ATTEMPT or refused.code == "unfinished"):
                    raise refused from error
                time.sleep(_seconds(error.headers.get("Retry-After"), otherwise=attempt))
            except (OSError, HTTPException):  # nobody there, too slow, or cut off in the middle of an answer
                if last:
                    raise
                time.sleep(attempt)
            else:
                return answer
        raise AssertionError("the last attempt returns or raises")


def _seconds(said: str | None, *, otherwise: float) -> float:
    """What Retry-After says, if it is a number: a proxy may say a date."""
    return float(said) if said and said.isdecimal() else otherwise


def _refused(error: HTTPError) -> Refused:
    """Of us, or of a proxy that says something else than JSON, or nothing to the end."""
    try:
        told = json.load(error)
    except (ValueError, OSError, HTTPException):
        told = None
    return Refused(error.code, told if isinstance(told, dict) else {"message": error.reason})


def is_from_touchstone(secret: str, signature: str, body: bytes, *, tolerance: float = 300.0) -> bool:
    """Whether a webhook's message was signed with this secret within the last minutes.

    signature: the header Touchstone-Signature. body: the bytes as they came, not parsed and written again.
    """
    parts = dict(part.split("=", 1) for part in signature.split(",") if "=" in part)
    at = parts.get("t", "")
    if not at.isdecimal() or abs(time.time() - int(at)) > tolerance:
        return False
    expected = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, parts.get("v1", ""))
