import re
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

import annotate.engine
from annotate.engine import replies, wire
from annotate.engine.jobs import OpenBreaker
from annotate.engine.ledger import Spent
from annotate.engine.replies import understood
from annotate.kinds.protocol import Cause, Question
from annotate.runs.failures import PATTERNS, failure_text
from tests.support.runs import make_endpoint


class Answer(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    feedback: str
    score: int


def unread(reply: str) -> replies.Unread:
    with pytest.raises(replies.Unread) as fault:
        replies.parse_reply(Question("feedback", [], Answer), reply)
    return fault.value


@pytest.mark.django_db
def test_a_missing_key_is_told_without_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = make_endpoint(key_env="SECRET_OF_THE_HOUSE")
    for value in ("", "käy"):
        monkeypatch.setenv("SECRET_OF_THE_HOUSE", value)
        with pytest.raises(wire.NoKey) as missing:
            wire.key_of(endpoint)
        said = failure_text(str(missing.value), Cause.NO_KEY)
        assert "An administrator can" in said.sentence
        assert "HOUSE" not in said.sentence + said.words
        kept_from = failure_text(OpenBreaker(Cause.NO_KEY, str(missing.value)).in_words, Cause.NO_KEY)
        assert kept_from.sentence.startswith("Not sent: the previous 10 jobs all failed like this")
        assert "HOUSE" not in kept_from.sentence + kept_from.words


@pytest.mark.parametrize(
    ("status", "body", "sentence", "words"),
    [
        (401, b'{"error": {"message": "no such key"}}', "refused the request with status 401", "no such key"),
        (502, b"<html>Bad gateway</html>", "refused the request with status 502", "<html>Bad gateway</html>"),
        (200, b"<html></html>", "not from a model service", "text/html"),
        (302, b"", "redirects are not followed", "http://elsewhere.invalid/"),
        (200, b'{"choices": []}', "contains no reply", ""),
        (200, b'{"choices": [{}]}', "lacks parts", ""),
        (200, b"{}", "lacks parts", ""),
    ],
)
def test_what_a_service_did_is_told_apart_from_what_it_said(
    status: int, body: bytes, sentence: str, words: str
) -> None:
    headers = {"content-type": "text/html", "location": "http://elsewhere.invalid/"}
    received = understood(status, headers, body)
    assert received.cause is not None
    said = failure_text(received.detail, received.cause)
    assert sentence in said.sentence
    assert said.words == words


@pytest.mark.parametrize(
    ("reply", "sentence", "words"),
    [
        ("", "The reply of the model is empty.", ""),
        ("Sure! Here it is", "It begins:", "Sure! Here it is"),
        ('{"score": 3}', "In the reply, “feedback” is missing.", ""),
        ('{"feedback": 7, "score": "x"}', "“feedback” is not text. 1 more fault was found.", ""),
        ('{"feedback": "x", "score": 1, "more": 1}', "“more” was not requested.", ""),
    ],
)
def test_what_is_wrong_with_a_reply_is_told_by_its_field(reply: str, sentence: str, words: str) -> None:
    fault = unread(reply)
    said = failure_text(fault.detail, fault.cause)
    assert sentence in said.sentence
    assert said.words == words


def test_what_nobody_here_wrote_stays_as_it_is() -> None:
    assert (
        failure_text("I cannot do that.", Cause.REFUSED).sentence,
        failure_text("I cannot do that.", Cause.REFUSED).words,
    ) == (
        "",
        "I cannot do that.",
    )
    assert (
        failure_text("ClientConnectorError: [Errno 111]", Cause.CONNECTION).words == "ClientConnectorError: [Errno 111]"
    )
    assert failure_text("", "").sentence == ""


def test_the_budget_is_named() -> None:
    assert failure_text(Spent(Decimal("2.50")).in_words, Cause.BUDGET).sentence == "The budget of $2.5 is used up."


SENTENCE = re.compile(r'"([A-Z`{][^"\n]*\.)"')


def test_every_sentence_of_the_engine_about_a_failure_has_its_translation() -> None:
    """By its source: a new detail without a pattern would be shown in English to everybody."""
    folder = Path(annotate.engine.__file__).parent
    found = [
        sentence
        for name in ("client", "replies", "drain", "jobs", "ledger")
        for line in (folder / f"{name}.py").read_text().splitlines()
        if re.search(r"detail|Received\(|Unread\(|NoKey\(|return f", line) and '"""' not in line
        for sentence in SENTENCE.findall(line)
    ]
    assert len(found) >= 15
    filled = [re.sub(r"\{[^}]*\}", "3", sentence) for sentence in found]
    assert [one for one in filled if not any(pattern.fullmatch(one) for pattern, _said in PATTERNS)] == []
