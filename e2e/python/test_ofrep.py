"""OpenFeature's Python SDK with OFREP's own provider, unmodified."""

import pytest
from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode

from commands import flag_that_is_on
from demo import FLAGS, USERS, expected

# What no flag of the demo serves.
FALLBACKS = {"string": "none", "number": -1, "json": {}}
ASK = {"boolean": "boolean", "string": "string", "number": "integer", "json": "object"}


@pytest.fixture(params=["server", "client"])
def flags(request, server):
    """A program's flags, with a key of either kind, shown in either way."""
    secret = server.keys[request.param]
    headers = {
        "server": {"Authorization": f"Bearer {secret}"},
        "client": {"X-API-Key": secret},
    }[request.param]
    api.set_provider(OFREPProvider(server.url, headers_factory=lambda: headers), request.param)
    yield api.get_client(request.param)
    api.clear_providers()


def context(user):
    return EvaluationContext(user["key"], {"name": user["name"], **user["properties"]})


def value(flags, flag, wanted, asked):
    kind = FLAGS[flag]["type"]
    ask = getattr(flags, f"get_{ASK[kind]}_value")
    return ask(flag, FALLBACKS.get(kind, not wanted), asked)


@pytest.mark.parametrize("user", USERS)
def test_all_flags_of_the_demo(flags, user):
    for flag in FLAGS:
        wanted = expected(flag, user)
        assert value(flags, flag, wanted, context(USERS[user])) == wanted, flag


def test_attributes_have_types(flags, server, request):
    flag = "typed-" + request.node.callspec.params["flags"]
    conditions = [
        {"property": "age", "op": "BiggerEqualThan", "value": "17.5"},
        {"property": "visits", "op": "IsOneOf", "value": '["3", "4"]'},
        {"property": "roles", "op": "Contains", "value": "admin"},
        {"property": "address.city", "op": "Equal", "value": "Oslo"},
        {"property": "beta", "op": "IsTrue", "value": ""},
    ]
    server.change(
        *flag_that_is_on(flag),
        {
            "kind": "setRules",
            "flag": flag,
            "rules": [{"conditions": conditions, "variation": f"{flag}-true"}],
        },
        {"kind": "setDefaultRule", "flag": flag, "variation": f"{flag}-false"},
    )
    fits = {
        "age": 18.0,
        "visits": 4.0,
        "roles": ["dev", "admin"],
        "address": {"city": "Oslo"},
        "beta": True,
    }
    details = flags.get_boolean_details(flag, False, EvaluationContext("ada", fits))
    assert (details.value, details.reason) == (True, "TARGETING_MATCH")
    assert details.variant == f"{flag}-true"
    for other in [{"age": 17}, {"visits": 5}, {"roles": ["not-admin"]}, {"beta": False}]:
        asked = EvaluationContext("ada", {**fits, **other})
        assert flags.get_boolean_value(flag, True, asked) is False, other


def test_what_is_wrong_is_told_in_openfeatures_words(flags):
    ada = EvaluationContext("ada")
    for flag, asked, code in [
        ("no-such-flag", ada, ErrorCode.FLAG_NOT_FOUND),
        ("returns-true", EvaluationContext(), ErrorCode.TARGETING_KEY_MISSING),
        ("returns-true", EvaluationContext("ada", {"x": "x" * 2000}), ErrorCode.INVALID_CONTEXT),
    ]:
        details = flags.get_boolean_details(flag, True, asked)
        assert (details.value, details.error_code) == (True, code), details
        assert details.error_message
