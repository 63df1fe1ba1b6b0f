"""What deploy/ promises, on running servers: programs get through the proxy and come back to the
other server, and dashboard, alerts and autoscaling ask for what is exported."""

import json
import re
import urllib.error
import urllib.request

import pytest

from cluster import Cluster
from commands import flag_that_is_on
from sdks import FeatBit
from server import ROOT, eventually

ADA = {"key": "ada", "name": "Ada", "properties": {}}

# Prometheus' own, and the labels that are added.
ALWAYS = {"up"}
ADDED = {"job", "instance", "namespace", "pod", "alertname"}


@pytest.fixture(scope="module")
def cluster():
    running = Cluster()
    yield running
    running.stop()


def connections(server):
    held = server.metrics()["burgee_edge_connections", frozenset({("kind", "server")})]
    return int(held)


def test_a_program_behind_the_proxy_comes_back_to_the_other_server(cluster):
    program = FeatBit(cluster.servers[0].keys["server"], cluster.proxy.url)
    try:
        [held] = [it for it in cluster.servers if connections(it)]
        [other] = [it for it in cluster.servers if it is not held]
        # Made on the server that the program is not connected to.
        other.change(*flag_that_is_on("behind"))
        program.shows(ADA, behind=True)
        held.down()
        other.change({"kind": "turnOff", "flag": "behind"})
        program.shows(ADA, behind=False)
        assert connections(other) == 1
        held.up()
    finally:
        program.close()


def test_the_proxy_logs_no_key(cluster):
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"{cluster.proxy.url}/streaming?type=server&token=a-secret")

    def line():
        return [it for it in cluster.proxy.log.read_text().splitlines() if "GET /streaming" in it]

    assert "a-secret" not in eventually(line, "a line of the log")[-1]


def ask(server, key, route, body=None):
    """Asks as an SDK does; gives the status."""
    headers = {"Authorization": key, "Content-Type": "application/json"}
    request = urllib.request.Request(f"{server.url}/api/public/{route}", body, headers)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def exported(cluster):
    """The labels of each name, and their values, with what is there only once it was counted."""
    server = cluster.servers[0]
    key = server.keys["server"]
    assert ask(server, key, "sdk/server/latest-all") == 200
    assert ask(server, key, "insight/track", b"no list") == 400
    cluster.postgres.crash()
    try:
        assert ask(server, key[::-1], "sdk/server/latest-all") == 503
        server.api("POST", "/session/reset", {"email": "owner@localhost"})
        failed = ("burgee_mails_total", frozenset({("outcome", "failed")}))
        found = eventually(
            lambda: failed in (now := server.metrics()) and now, "a mail that fails is counted"
        )
    finally:
        cluster.postgres.come_back()
    labels = {}
    for name, pairs in found:
        values = labels.setdefault(name, {})
        for label, value in pairs:
            values.setdefault(label, set()).add(value)
    return labels


def texts(value):
    """All texts in JSON."""
    if isinstance(value, dict):
        value = value.values()
    if isinstance(value, str):
        return [value]
    return [it for part in value for it in texts(part)] if hasattr(value, "__iter__") else []


def asked_for():
    """(where, text) of everything that names a metric."""
    deploy = ROOT / "deploy"
    board = "grafana/burgee.json"
    yield from ((board, text) for text in texts(json.loads((deploy / board).read_text())))
    chart = "helm/burgee/templates/horizontalpodautoscaler.yaml"
    for name in (
        "prometheus/alerts.yml",
        "prometheus/alerts_test.yml",
        chart,
        "helm/burgee/README.md",
    ):
        yield from ((name, line) for line in (deploy / name).read_text().splitlines())
    yield "docs/operations.md", (ROOT / "docs/operations.md").read_text()


def wrong(text, labels):
    """What a text asks for and is not there."""
    ours = r"\b(up|burgee_(?:backbone|edge|mails)\w*)\b(?:\{([^{}]*)\})?"
    for name, selectors in re.findall(ours, text):
        if name in ALWAYS:
            continue
        if name not in labels:
            yield name
            continue
        for label, how, values in re.findall(r'(\w+)(=~|!~|!=|=)"([^"]*)"', selectors):
            if label in ADDED:
                continue
            known = labels[name].get(label, set())
            for value in values.split("|") if "~" in how else [values]:
                if value not in known:
                    yield f'{name}{{{label}="{value}"}}'
    for grouped in re.findall(r"\bby \(([\w, ]+)\)", text):
        for label in grouped.replace(" ", "").split(","):
            if label not in ADDED and not any(label in it for it in labels.values()):
                yield f"by ({label})"


def test_what_is_asked_for_is_exported(cluster):
    labels = exported(cluster)
    missing = {f"{where}: {it}" for where, text in asked_for() for it in wrong(text, labels)}
    assert not missing
    asked = " ".join(text for _, text in asked_for())
    assert asked.count("burgee_edge_connections") > 3, "nothing was looked at"


def test_what_is_not_exported_is_noticed():
    labels = {"burgee_edge_refused_total": {"reason": {"key"}}}
    good = 'sum by (instance, reason) (rate(burgee_edge_refused_total{job="x",reason="key"}[5m]))'
    assert not list(wrong(good, labels))
    assert list(wrong("burgee_edge_refused", labels)) == ["burgee_edge_refused"]
    assert list(wrong('burgee_edge_refused_total{reason=~"key|kye"}', labels)) == [
        'burgee_edge_refused_total{reason="kye"}'
    ]
    assert list(wrong("sum by (raeson) (burgee_edge_refused_total)", labels)) == ["by (raeson)"]
