"""Whether a server does what a description of it says: schemathesis sends what that allows, and
what it does not, and every answer has to be one that is described; none is a fault of the
server's. What is sent is the same each time."""

import subprocess
import sys
from pathlib import Path

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)


# What a description allows is taken, and nothing else. Such a description has to say all that is
# refused; that of management leaves much of it to words.
STRICT_CHECKS = (
    *CHECKS,
    "negative_data_rejection",
    "positive_data_acceptance",
    "missing_required_header",
    "unsupported_method",
    "ignored_auth",
)


def holds(address, authorization, folder, *, seconds, config="", checks=CHECKS, options=()):
    """Fails where an answer is another one than the description at an address says."""
    (folder / "schemathesis.toml").write_text(config)
    st = Path(sys.executable).with_name("st")
    command = [
        *(st, "--config-file", folder / "schemathesis.toml", "run", address),
        *("--header", f"Authorization: {authorization}"),
        *("--phases", "coverage,fuzzing"),
        *("--max-examples", 20, "--generation-deterministic"),
        *("--checks", ",".join(checks), "--continue-on-failure"),
        *("--suppress-health-check", "all", "--max-time", seconds, *options),
    ]
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    assert "cases" in done.stdout
