#!/usr/bin/env bash
# generate.sh [FILE]: writes the types of the API's description, to src/schema.d.ts where no file is
# named.
set -euo pipefail
npx openapi-typescript ../../crates/server/openapi.json --alphabetize --output "${1:-src/schema.d.ts}"
