"""The API does what its description says: schemathesis sends what the description allows, and
what it does not, and every answer has to be one that is described; none is a fault of the server's.

What is sent is the same each time. Most of it names the demo's things, so that it is about
something; what would take them away is left out."""

import subprocess
import sys
from pathlib import Path

import pytest

# Where names stand in addresses, of what the demo has.
KNOWN = """
[parameters]
"path.project" = "demo"
"path.environment" = "prod"
"path.flag" = "returns-true"
"path.group" = "core"
"path.policy" = "own"
"""

# Each of the two looks; a debug build's answers take their time.
MOST_SECONDS = 60

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)

# A stream does not end; a server that sends no mail says 501, as described; without the project
# and the environment nothing else would be found.
LEFT_OUT = (
    "GET /api/v1/events",
    "POST /api/v1/session/reset",
    "DELETE /api/v1/projects/{project}",
    "DELETE /api/v1/projects/{project}/environments/{environment}",
    "DELETE /api/v1/groups/{group}",
    "DELETE /api/v1/policies/{policy}",
)


@pytest.fixture(scope="module")
def known(server):
    statement = {"effect": "allow", "actions": ["flag.read"], "resources": ["*"]}
    server.api("POST", "/policies", {"key": "own", "name": "Own", "statements": [statement]})
    server.api("POST", "/groups", {"key": "core", "name": "Core", "policies": []})
    return server


def fuzz(server, folder: Path, config: str, phases: str, examples: int):
    (folder / "schemathesis.toml").write_text(config)
    st = Path(sys.executable).with_name("st")
    command = [
        *(st, "--config-file", folder / "schemathesis.toml"),
        *("run", f"{server.url}/api/openapi.json"),
        *("--header", f"Authorization: Bearer {server.token}"),
        *("--phases", phases, "--max-examples", examples, "--generation-deterministic"),
        *("--checks", ",".join(CHECKS), "--continue-on-failure"),
        *("--suppress-health-check", "all", "--max-time", MOST_SECONDS),
    ]
    for operation in LEFT_OUT:
        command += ["--exclude-name", operation]
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    return done.stdout


def test_about_what_is_there(known, tmp_path):
    assert "cases" in fuzz(known, tmp_path, KNOWN, "coverage,fuzzing", 20)


def test_about_anything(known, tmp_path):
    assert "cases" in fuzz(known, tmp_path, "", "coverage,fuzzing", 20)
