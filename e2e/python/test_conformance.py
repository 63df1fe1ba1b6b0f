"""OpenFeature's own scenarios, with its Python SDK and OFREP's own provider, unmodified. What is
left out, and why, says `conformance/README.md`."""

import copy
import json
import re
import subprocess
import uuid
from types import SimpleNamespace

import pytest
from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext
from openfeature.flag_evaluation import FlagEvaluationOptions
from openfeature.hook import Hook
from openfeature.transaction_context import ContextVarsTransactionContextPropagator
from pytest_bdd import given, parsers, scenarios, then, when

from excluded import PAGE
from server import PROJECT

ENVIRONMENT = "conformance"
# What makes the specification's flags is told once, in JavaScript.
FLAGS = "import(process.argv[1]).then((it) => console.log(JSON.stringify(it.commands('%s'))))"

PARSED = {
    "boolean": lambda text: text == "true",
    "string": str,
    "integer": int,
    "float": float,
    "object": json.loads,
}

# `evaluation.feature` is deprecated: its sentences are others, and say what these say.
for feature in ("contextMerging", "evaluation_v2", "hooks", "metadata"):
    scenarios(str(PAGE.parent / "specification" / f"{feature}.feature"))


def sentence(text):
    """A sentence of a feature, in which `<name>` stands for a text in quotes."""
    return parsers.re(re.sub(r"(?<!P)<(\w+)>", r'"(?P<\1>(?:[^"\\\\]|\\\\.)*)"', text))


def parsed(kind, text):
    return PARSED[kind.lower()](text.replace('\\"', '"'))


@pytest.fixture(scope="module")
def secret(server):
    """A client key of an environment that has these flags alone: with a server key metadata says
    what decided."""
    server.api("POST", f"/projects/{PROJECT}/environments", {"key": ENVIRONMENT})
    node = ["node", "--eval", FLAGS % ENVIRONMENT, str(PAGE.with_name("flags.js"))]
    commands = json.loads(subprocess.run(node, check=True, stdout=subprocess.PIPE).stdout)
    server.api("POST", f"/projects/{PROJECT}/changes", {"commands": commands})
    where = ("--project", PROJECT, "--environment", ENVIRONMENT)
    return server.cli("sdk-keys", *where, "--json")["client"]


@pytest.fixture
def world(secret):
    """A scenario: another user than all before, by whom the server knows what was asked."""
    yield SimpleNamespace(user=str(uuid.uuid4()), context={}, levels={}, heard=[])
    api.clear_hooks()
    api.clear_providers()
    api.set_transaction_context(EvaluationContext())
    api.set_evaluation_context(EvaluationContext())


@given("a stable provider")
@given("a stable provider with retrievable context is registered")
def stable(world, server, secret):
    headers = {"X-API-Key": secret}
    api.set_provider_and_wait(OFREPProvider(server.url, headers_factory=lambda: headers))
    api.set_evaluation_context(EvaluationContext(world.user))
    api.set_transaction_context_propagator(ContextVarsTransactionContextPropagator())
    world.client = api.get_client()


@given(sentence(r"a (?P<kind>\w+)-flag with key <key> and a (?:default|fallback) value <text>"))
def flag(world, kind, key, text):
    world.kind, world.key = kind.lower(), key
    world.default = parsed(kind, text)


@given(sentence("a context containing a key <key>, with type <kind> and with value <text>"))
def attribute(world, key, kind, text):
    world.context[key] = parsed(kind, text)


@given(sentence("a context containing a key <key> with null value"))
def null_attribute(world, key):
    world.context[key] = None


@when("the flag was evaluated with details")
def evaluated(world, options=None):
    context = EvaluationContext(attributes=world.context)
    ask = getattr(world.client, f"get_{world.kind}_details")
    world.details = ask(world.key, world.default, context, options)


@then(sentence("the resolved details value should be <text>"))
def has_value(world, text):
    wanted = parsed(world.kind, text)
    assert (world.details.value, type(world.details.value)) == (wanted, type(wanted))


@then(sentence("the flag key should be <wanted>"))
def has_key(world, wanted):
    assert world.details.flag_key == wanted


@then(sentence("the variant should be <wanted>"))
def has_variant(world, wanted):
    assert world.details.variant == wanted


@then(sentence("the reason should be <wanted>"))
def has_reason(world, wanted):
    # OFREP has no DEFAULT; what serves all whom nothing else took is STATIC to it.
    assert world.details.reason == ("STATIC" if wanted == "DEFAULT" else wanted)


@then(sentence("the error-code should be <wanted>"))
def has_code(world, wanted):
    assert world.details.error_code == wanted


@then(sentence("the error message should contain <part>"))
def has_message(world, part):
    assert part in world.details.error_message


@then("the resolved metadata is empty")
def has_no_metadata(world):
    assert (world.details.flag_metadata, world.details.error_code) == ({}, None)


@then(sentence("the provider status should be <wanted>"))
def has_status(world, wanted):
    assert world.client.get_provider_status().value == wanted


class Listener(Hook):
    """A hook that writes down each of its stages, with what this was given."""

    def __init__(self, name, heard):
        self.tell = lambda stage, given: heard.append((name, stage, given))

    def before(self, hook_context, hints):
        self.tell("before", None)

    def after(self, hook_context, details, hints):
        self.tell("after", copy.copy(details))

    def error(self, hook_context, exception, hints):
        self.tell("error", exception)

    def finally_after(self, hook_context, details, hints):
        self.tell("finally", copy.copy(details))


@given("a client with added hook")
def add_hook(world):
    world.client.add_hooks([Listener("client", world.heard)])


@given("evaluation options containing specific hooks")
def options_with_hooks(world):
    hooks = [Listener(name, world.heard) for name in ("first", "second")]
    world.options = FlagEvaluationOptions(hooks=hooks)


@when("the flag was evaluated with details using the evaluation options")
def evaluated_with_options(world):
    evaluated(world, world.options)


@then("the specified hooks should execute during evaluation")
def hooks_ran(world):
    assert {name for name, _, _ in world.heard} == {"first", "second"}


@then("the hook order should be maintained")
def hooks_ran_in_order(world):
    heard = [f"{name} {stage}" for name, stage, _ in world.heard]
    back = ["second after", "first after", "second finally", "first finally"]
    assert heard == ["first before", "second before", *back]


@then(sentence("the <stage> hook should have been executed"))
def hook_ran(world, stage):
    assert [heard for _, heard, _ in world.heard].count(stage) == 1


@then(sentence("the <stages> hooks should be called with evaluation details"))
def hooks_were_given(world, stages, datatable):
    for stage in stages.split(", "):
        [details] = [given for _, heard, given in world.heard if heard == stage]
        for kind, name, text in datatable[1:]:
            wanted = None if text == "null" else parsed(kind, text)
            assert getattr(details, name) == wanted, (stage, name)


@given(sentence("A context entry with key <key> and value <value> is added to the <level> level"))
def add_entry(world, key, value, level):
    world.levels.setdefault(level, {})[key] = value


@given("A table with levels of increasing precedence")
def levels(world, datatable):
    world.order = [level for (level,) in datatable]


@given(
    sentence(
        "Context entries for each level from API level down to the <last> level, "
        "with key <key> and value <value>"
    )
)
def add_entries(world, last, key, value):
    for level in world.order[: world.order.index(last) + 1]:
        # Only the last has the value that is looked for.
        add_entry(world, key, value if level == last else f"not of {level}", level)


@when("Some flag was evaluated")
def some_flag(world, server):
    at = {level: EvaluationContext(attributes=of) for level, of in world.levels.items()}
    none = EvaluationContext()
    before = Hook()
    before.before = lambda hook_context, hints: at.get("Before Hooks")
    api.set_evaluation_context(EvaluationContext(world.user, world.levels.get("API", {})))
    api.set_transaction_context(at.get("Transaction", none))
    world.client.context = at.get("Client", none)
    world.client.add_hooks([before])
    details = world.client.get_boolean_details("boolean-flag", False, at.get("Invocation", none))
    assert (details.value, details.error_code) == (True, None)
    # What the server learned of the user has gone all of the way.
    who = "SELECT properties FROM end_users WHERE key = ?"
    [(properties,)] = server.stored(who, world.user)
    world.merged = dict(json.loads(properties))


@then(sentence("The merged context contains an entry with key <key> and value <value>"))
def is_merged(world, key, value):
    assert world.merged[key] == value
