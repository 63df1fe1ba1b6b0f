#!/usr/bin/env bash
# Whether the types are those of the API's description as it is, and the client fits them.
set -euo pipefail
fresh=$(mktemp --suffix=.d.ts)
trap 'rm -f "$fresh"' EXIT
./generate.sh "$fresh" >/dev/null 2>&1
cmp --silent "$fresh" src/schema.d.ts || {
    echo 'packages/api-client: src/schema.d.ts is not of crates/server/openapi.json: npm run generate' >&2
    exit 1
}
npx tsc --project .
