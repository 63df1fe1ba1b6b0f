"""What every SDK has to see, told once: `sdk` is each of the adapters in turn."""

import json
import signal

import pytest

from commands import flag_that_is_on, flag_that_needs, flag_with_segment
from demo import USERS, expected_of_all
from sdks import ABSENT, FeatBit, OpenFeature
from server import ENVIRONMENT, PROJECT, Server

ADA = {"key": "ada", "name": "Ada", "properties": {"team": "engines"}}
GRACE = {"key": "grace", "name": "Grace", "properties": {}}


@pytest.fixture(scope="module", params=[FeatBit, OpenFeature], ids=lambda it: it.name)
def sdk(request):
    return request.param


@pytest.fixture(scope="module")
def server(sdk):
    """A server of its own for each SDK."""
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def connect(sdk, server):
    """Makes programs."""
    programs = []

    def make(secret=None, url=None, **options):
        program = sdk(secret or server.keys["server"], url or server.url, **options)
        programs.append(program)
        return program

    yield make
    for program in programs:
        program.close()


@pytest.fixture(scope="module")
def program(sdk, server):
    """A program that is ready."""
    running = sdk(server.keys["server"], server.url)
    yield running
    running.close()


def test_it_is_ready(program):
    assert program.is_ready()


@pytest.mark.parametrize("user", USERS)
def test_every_flag_of_the_demo(program, user):
    assert program.values(USERS[user]) == expected_of_all(user)


def test_a_flag_is_made_turned_off_and_on_again(program, server):
    server.change(*flag_that_is_on("live"))
    program.shows(ADA, live=True)
    server.change({"kind": "turnOff", "flag": "live"})
    program.shows(ADA, live=False)
    server.change({"kind": "turnOn", "flag": "live"})
    program.shows(ADA, live=True)


def test_a_segment_changes(program, server):
    server.change(*flag_with_segment("by_segment", "friends", "grace"))
    program.shows(ADA, by_segment=False)
    server.change({"kind": "addIncluded", "segment": "friends", "keys": ["ada"]})
    program.shows(ADA, by_segment=True)
    server.change({"kind": "addExcluded", "segment": "friends", "keys": ["ada"]})
    program.shows(ADA, by_segment=False)


def test_a_flag_that_another_one_needs_changes(program, server):
    needed = flag_with_segment("needed", "circle", "ada")
    server.change(*needed, *flag_that_needs("needy", "needed"))
    program.shows(ADA, needed=True, needy=True)
    server.change({"kind": "removeIncluded", "segment": "circle", "keys": ["ada"]})
    program.shows(ADA, needed=False, needy=False)
    targets = {"variation": "needed-true", "keys": ["ada"]}
    server.change({"kind": "setTargets", "flag": "needed", **targets})
    program.shows(ADA, needed=True, needy=True)
    server.change({"kind": "turnOff", "flag": "needed"})
    program.shows(ADA, needed=False, needy=False)


def test_a_change_set_of_three_flags_is_seen_whole(program, server):
    three = ["one", "two", "three"]
    server.change(*(command for flag in three for command in flag_that_is_on(flag)))
    program.shows(ADA, one=True, two=True, three=True)
    arrivals = program.arrivals(ADA, three)
    server.change(*({"kind": "turnOff", "flag": flag} for flag in three))
    program.shows(ADA, one=False, two=False, three=False)
    assert arrivals == [[False] * 3]


def test_an_archived_flag_and_a_deleted_one_give_the_codes_default(program, server):
    server.change(*flag_that_is_on("old"))
    program.shows(ADA, old=True)
    server.change({"kind": "archiveFlag", "flag": "old"})
    program.shows(ADA, old=ABSENT)
    server.change({"kind": "restoreFlag", "flag": "old"})
    program.shows(ADA, old=True)
    server.change({"kind": "archiveFlag", "flag": "old"}, {"kind": "deleteFlag", "flag": "old"})
    program.shows(ADA, old=ABSENT)


def test_another_users_values_and_changes_for_that_user(program, server):
    server.change(*flag_with_segment("whose", "hers", "grace"))
    program.shows(ADA, whose=False)
    program.shows(GRACE, whose=True)
    server.change({"kind": "removeIncluded", "segment": "hers", "keys": ["grace"]})
    program.shows(GRACE, whose=False)


def test_a_segment_changed_while_it_was_away(connect, server, wire):
    program = connect(url=wire.url)
    server.change(*flag_with_segment("away", "club", "grace"))
    program.shows(ADA, away=False)
    wire.cut()
    server.change({"kind": "addIncluded", "segment": "club", "keys": ["ada"]})
    wire.mend()
    program.shows(ADA, away=True)


def test_a_flag_archived_while_it_was_away(connect, server, wire):
    program = connect(url=wire.url)
    server.change(*flag_that_is_on("archived"))
    program.shows(ADA, archived=True)
    wire.cut()
    server.change({"kind": "archiveFlag", "flag": "archived"})
    wire.mend()
    program.shows(ADA, archived=ABSENT)


# After a crash, what was acknowledged before it must be there.
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=lambda it: it.name)
def test_changes_before_around_and_after_a_restart(connect, server, wire, how):
    program = connect(url=wire.url)
    kept, gone, late, club = (f"{name}_{how.name}" for name in ("kept", "gone", "late", "club"))
    server.change(*flag_that_is_on(kept), *flag_that_is_on(gone))
    server.change(*flag_with_segment(late, club, "grace"))
    program.shows(ADA, **{kept: True, gone: True, late: False})
    wire.cut()
    server.change({"kind": "turnOff", "flag": kept}, {"kind": "archiveFlag", "flag": gone})
    server.down(how)
    server.up()
    server.change({"kind": "addIncluded", "segment": club, "keys": ["ada"]})
    wire.mend()
    program.shows(ADA, **{kept: False, gone: ABSENT, late: True})
    assert program.client.update_status_provider.wait_for_OKState(60)


def test_an_event_arrives_in_the_store_with_its_value_and_its_user(program, server):
    program.track({**ADA, "key": "reporter"}, "clicked", 42.5)
    event = "SELECT user_key, value FROM metric_events WHERE event = ?"
    assert server.stored(event, "clicked") == [("reporter", 42.5)]
    who = "SELECT name, properties FROM end_users WHERE key = ?"
    [(name, properties)] = server.stored(who, "reporter")
    assert (name, json.loads(properties)) == ("Ada", [["team", "engines"]])


def test_an_evaluation_arrives_in_the_store(program, server):
    server.change(*flag_that_is_on("counted"))
    program.shows(ADA, counted=True)
    counts = "SELECT variation FROM counts_minute WHERE flag = ?"
    assert server.stored(counts, "counted") == [("counted-true",)]


@pytest.mark.parametrize("what", ["never issued", "of the other kind"])
def test_a_bad_secret_is_refused(connect, server, refused, what):
    issued = server.keys["server"]
    forged = ("B" if issued[0] == "A" else "A") + issued[1:]
    secret = forged if what == "never issued" else server.keys["client"]
    program = connect(secret, wait=0)
    refused()
    assert not program.is_ready()
    assert program.ask("returns-true", "boolean", ADA, False) is False


def test_a_revoked_key_is_refused_from_that_moment_on(connect, server, refused):
    route = f"/projects/{PROJECT}/environments/{ENVIRONMENT}/sdk-keys"
    key = server.api("POST", route, {"kind": "server", "name": "to be revoked"})
    program = connect(key["secret"])
    assert program.is_ready()
    server.api("DELETE", f"{route}/{key['id']}")
    refused()
