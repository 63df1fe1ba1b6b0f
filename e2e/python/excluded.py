"""The scenarios of OpenFeature that are left out with Python's provider: those of the table in
`conformance/README.md`, and no others."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "conformance" / "README.md"

# `| feature | scenario | a text in one of its steps | with | … |`
ROW = re.compile(r"^\| `(\w+\.feature)` +\| (.+?) +\| (?:`(.+?)`)? *\| (\w+) +\|", re.MULTILINE)


def rows():
    table = PAGE.read_text().split("\n## What is left out\n")[1]
    return [row[:3] for row in ROW.findall(table) if row[3] in ("both", "Python")]


def is_excluded(feature, scenario):
    """Whether the page says that a scenario is left out."""
    file = Path(feature.filename).name
    return any(
        (file, scenario.name) == (of, name)
        and (not part or any(part in step.name for step in scenario.steps))
        for of, name, part in rows()
    )
