"""What refusals of real services teach; the messages are theirs."""

import pytest

from annotate.engine.capabilities import Capabilities, Refusal, lesson

EVERYTHING = {"temperature", "max_tokens", "response_format", "system", "top_p"}
FULL = Capabilities()
REFUSALS = [
    (
        Refusal(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
            "instead.",
            "max_tokens",
            "unsupported_parameter invalid_request_error",
        ),
        Capabilities(length_parameter="max_completion_tokens"),
    ),
    (
        Refusal(
            400,
            "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is "
            "supported.",
            "temperature",
            "unsupported_value",
        ),
        Capabilities(omitted=("temperature",)),
    ),
    (Refusal(400, "Unrecognized request argument supplied: top_p"), Capabilities(omitted=("top_p",))),
    (
        Refusal(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
        Capabilities(reply_format="json_object"),
    ),
    (
        Refusal(404, "No endpoints found that can handle the requested parameters."),
        Capabilities(reply_format="json_object"),
    ),
    (
        Refusal(
            400, "Unsupported value: 'messages[0].role' does not support 'system' with this model.", "messages[0].role"
        ),
        Capabilities(system_role="developer"),
    ),
    (Refusal(400, "System role not supported"), Capabilities(system_role="developer")),
    (
        Refusal(400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        Capabilities(system_role="developer"),
    ),
]


@pytest.mark.parametrize(("refusal", "learned"), REFUSALS)
def test_a_refusal_that_names_what_is_not_taken_teaches_the_next_thing_to_try(
    refusal: Refusal, learned: Capabilities
) -> None:
    assert lesson(refusal, EVERYTHING, FULL) == learned


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal(400, "max_tokens is too large: 100000. At most 4096 completion tokens.", "max_tokens"),
        Refusal(400, "temperature must be between 0 and 2."),
        Refusal(401, "Unsupported parameter: 'temperature' is not supported with this model.", "temperature"),
        Refusal(500, "response_format is not supported"),
        Refusal(400, "This text cannot be asked about."),
        Refusal(404, "The model `gpt-9` does not exist or you do not have access to it."),
        Refusal(400, ""),
    ],
)
def test_a_refusal_for_another_reason_teaches_nothing(refusal: Refusal) -> None:
    assert lesson(refusal, EVERYTHING, FULL) is None


def test_nothing_is_learned_about_what_was_not_sent() -> None:
    for refusal, _learned in REFUSALS:
        assert lesson(refusal, set(), FULL) is None


def test_every_ladder_ends() -> None:
    """Whatever a service refuses, there are only so many ways left: it is never asked for ever."""
    refusals = [refusal for refusal, _learned in REFUSALS]
    refusals += [Refusal(400, "max_completion_tokens is not supported"), Refusal(400, "developer role not supported")]
    known, steps = FULL, 0
    while True:
        sent = EVERYTHING | {"max_completion_tokens"}
        following = next((learned for one in refusals if (learned := lesson(one, sent, known))), None)
        if following is None:
            break
        known, steps = following, steps + 1
    assert known == Capabilities("text", "", "user", ("temperature", "top_p"))
    assert steps == 8


def test_what_two_workers_have_learned_is_joined() -> None:
    one = Capabilities(reply_format="json_object", omitted=("top_p",), confirmed=("plain",))
    other = Capabilities(system_role="user", omitted=("temperature",), ignores_cap=True)
    both = one.joined(other)
    assert both == other.joined(one)
    assert both == Capabilities("json_object", "max_tokens", "user", ("temperature", "top_p"), True, ("plain",))
    assert Capabilities.stored(both.as_json()) == both


@pytest.mark.parametrize("value", [None, [], "x", {"reply_format": 3, "omitted": "temperature", "confirmed": [1]}])
def test_what_cannot_be_understood_counts_as_not_learned(value: object) -> None:
    assert Capabilities.stored(value) == FULL
