# The front door: `make help`. Every target does its own set-up, and only what is missing.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help

CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/burgee
# One target folder for every clone: most of a build is the dependencies.
export CARGO_TARGET_DIR ?= $(CACHE)/target

# Where set-up puts a Node that is new enough, if the system's is not.
export BURGEE_NODE := $(CACHE)/node
export PATH := $(BURGEE_NODE)/node_modules/node/bin:$(PATH)

TOOLS := $(CACHE)/tools
E2E_PYTHON := e2e/.venv
# The first bytes of a name's content, so that another version makes another stamp.
TOOLS_STAMP := $(TOOLS)/ready-$(shell md5sum scripts/tools.txt | cut -c1-12)
# Tools that come as no package which can be installed by itself.
DEPLOY_TOOLS := $(CACHE)/deploy
DEPLOY_STAMP := $(DEPLOY_TOOLS)/ready-$(shell md5sum scripts/setup-deploy | cut -c1-12)
NODE_STAMP := e2e/node_modules/.ready
CLIENT := packages/api-client
CLIENT_STAMP := $(CLIENT)/node_modules/.ready
PORTAL := portal
PORTAL_STAMP := $(PORTAL)/node_modules/.ready
# What the server's build takes into the binary.
PORTAL_FILES := $(PORTAL)/dist/packed/index.html
PORTAL_SOURCES = $(shell find $(PORTAL)/src $(PORTAL)/public $(PORTAL)/scripts $(CLIENT)/src -type f) \
	$(PORTAL)/index.html $(PORTAL)/vite.config.ts
PYTHON_STAMP := $(E2E_PYTHON)/.ready

DATA ?= ./data
LISTEN ?= 127.0.0.1:5100

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: serve
serve: SYSTEM_FOR = serve
serve: portal ## Run a server with demo flags on 127.0.0.1:5100 (LISTEN=…, DATA=…)
	cargo build --profile serve --package burgee-cli --locked
	@printf '\n  Burgee with demo flags: http://%s\n  data in %s; stop with Ctrl-C\n\n' '$(LISTEN)' '$(DATA)'
	@printf '  In another terminal:\n  export PATH="$$PATH:%s"\n' "$$(realpath "$$CARGO_TARGET_DIR/serve")"
	@printf '  burgee sdk-keys --data-dir %s --project demo --environment prod\n\n' '$(DATA)'
	exec "$$CARGO_TARGET_DIR/serve/burgee" server --listen '$(LISTEN)' --data-dir '$(DATA)' --demo

.PHONY: demo-cluster
demo-cluster: SYSTEM_FOR = cluster
demo-cluster: system binary ## Several nodes on this machine: who has which version, while things are killed (ROUNDS=…)
	cargo build --package burgee-testkit --features client --example demo-cluster --locked
	@ROUNDS='$(ROUNDS)' exec "$$CARGO_TARGET_DIR/debug/examples/demo-cluster" "$$CARGO_TARGET_DIR/debug/burgee"

.PHONY: portal
portal: $(PORTAL_FILES)

.PHONY: test
test: setup binary ## Everything that must pass before a change lands
	cargo test --workspace --locked
	cd $(PORTAL) && npm run --silent test && npm run --silent e2e
	cd e2e && npm run --silent test:few && npm run --silent conformance
	$(E2E_PYTHON)/bin/pytest -q e2e/python/test_journeys.py -k fb-python-sdk
	$(E2E_PYTHON)/bin/pytest -q e2e/python/test_deploy.py e2e/python/test_conformance.py e2e/python/test_ofrep.py e2e/python/test_sdk_schema.py e2e/python/test_tls.py
	$(MAKE) --no-print-directory demo-cluster ROUNDS=16

.PHONY: test-all
test-all: setup binary ## The same with every journey of every SDK, the README's first minutes, many crashes
	BURGEE_LONG_TESTS=1 cargo test --workspace --locked
	cd $(PORTAL) && npm run --silent test && npm run --silent e2e
	cd e2e && npm run --silent test:all && npm run --silent conformance
	$(E2E_PYTHON)/bin/pytest -q e2e/python

.PHONY: lint
lint: setup $(DEPLOY_STAMP) ## Formatting, clippy, licences, the same for JavaScript and Python, and deploy/
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(TOOLS)/bin/cargo-deny check --hide-inclusion-graph licenses bans sources
	cd e2e && npm run --silent lint
	cd $(CLIENT) && npm run --silent check
	cd $(PORTAL) && npm run --silent check
	scripts/check-links
	$(TOOLS)/bin/python scripts/check-deploy $(TOOLS)/bin $(DEPLOY_TOOLS)
	$(TOOLS)/bin/ruff check e2e scripts/check-*
	$(TOOLS)/bin/ruff format --check e2e scripts/check-*

.PHONY: fmt
fmt: setup ## Format everything
	cargo fmt --all
	cd e2e && npm run --silent fmt
	cd $(PORTAL) && npm run --silent fmt
	$(TOOLS)/bin/ruff format e2e scripts/check-*

# What is measured is what is shipped.
BENCH = "$$CARGO_TARGET_DIR/release/burgee" bench
RUNS ?= 5

.PHONY: bench
bench: system ## Measure every goal of docs/benchmarks.md (RUNS=…); takes hours, and wants the machine to itself
	cargo build --release --package burgee-cli --locked
	$(BENCH) all --runs $(RUNS)
	cargo bench --package burgee-eval --locked

.PHONY: bench-seed
bench-seed: RUNS = 10
bench-seed: system ## Run the test whose figures FeatBit published (RUNS=…); takes hours
	cargo build --release --package burgee-cli --locked
	$(BENCH) seed --runs $(RUNS)

.PHONY: bench-fleet
bench-fleet: system ## Measure several servers, fleets of relays and a million connections (11 GiB); takes twenty minutes
	cargo build --release --package burgee-cli --locked
	$(BENCH) nodes --runs $(RUNS)
	$(BENCH) fleet
	$(BENCH) million

.PHONY: setup
setup: system $(TOOLS_STAMP) $(NODE_STAMP) $(CLIENT_STAMP) $(PORTAL_STAMP) $(PYTHON_STAMP) ## Install what the targets need

# What the journeys run against.
.PHONY: binary
binary: portal
	cargo build --package burgee-cli --locked

.PHONY: system
system:
	@scripts/setup-system $(SYSTEM_FOR)

# Made anew, as one that another Python made cannot be gone on with.
$(TOOLS_STAMP): scripts/tools.txt | system
	python3 -m venv --clear $(TOOLS)
	$(TOOLS)/bin/pip install --quiet --only-binary :all: --requirement $<
	rm -f $(TOOLS)/ready-*
	touch $@

$(DEPLOY_STAMP): scripts/setup-deploy | system
	scripts/setup-deploy $(DEPLOY_TOOLS)
	rm -f $(DEPLOY_TOOLS)/ready-*
	touch $@

$(NODE_STAMP): e2e/package-lock.json | system
	cd e2e && npm ci --no-audit --no-fund --loglevel=error
	touch $@

$(CLIENT_STAMP): $(CLIENT)/package-lock.json | system
	cd $(CLIENT) && npm ci --no-audit --no-fund --loglevel=error
	touch $@

# The system's Node may do for the others; the portal's tools want 22, which npm brings.
$(PORTAL_STAMP): $(PORTAL)/package-lock.json | system
	cd $(PORTAL) && npm ci --no-audit --no-fund --loglevel=error
	touch $@

$(PORTAL_FILES): $(PORTAL_STAMP) $(PORTAL_SOURCES)
	cd $(PORTAL) && npm run --silent build
	touch $@

$(PYTHON_STAMP): e2e/requirements.txt | system
	python3 -m venv --clear $(E2E_PYTHON)
	$(E2E_PYTHON)/bin/pip install --quiet --requirement $<
	touch $@
