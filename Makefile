# The first call of any target makes .venv. Nothing is needed but Python 3.11+ (with venv and pip) and make.

PYTHON ?= python3
PY := .venv/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet
READY := .venv/.ready
COMPILE := .cache/lock/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command "make lock" --quiet $(UPGRADE)

.DEFAULT_GOAL := help
.PHONY: help setup demo test check lint types imports conformance bench bench-cache docs fix lock mutation fuzz real-macros hostile kills load clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## Make or refresh .venv (every other target does this by itself)

$(READY): pyproject.toml requirements/dev.txt
	@echo "Setting up .venv (a minute the first time)"
	@if [ ! -x $(PY) ]; then python=$$(scripts/find-python "$(PYTHON)") && "$$python" -m venv .venv; fi
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY) ## Run the engine on the sample book and chat, then the gateway with the SDK of OpenAI
	@$(PY) examples/01-engine-only/demo.py
	@$(PY) examples/03-gateway-any-client/demo.py

test: $(READY) ## Run all tests, the conformance corpus included
	$(PY) -m pytest

check: lint types imports test ## Everything that must be green before a commit is shared

lint: $(READY) ## Check style and formatting
	.venv/bin/ruff check
	.venv/bin/ruff format --check

types: $(READY) ## Check types
	.venv/bin/mypy

imports: $(READY) ## Check the direction of imports between the rooms
	.venv/bin/lint-imports --cache-dir .cache/import-linter

conformance: $(READY) ## Run the conformance corpus alone
	$(PY) -m tests.conformance conformance

bench: $(READY) ## Measure what the prompt cache keeps, speed and memory, with the answers checked
	$(PY) -m benchmarks cache
	$(PY) -m benchmarks
	$(PY) -m benchmarks.macros
	$(PY) -m benchmarks.ejs
	$(PY) -m benchmarks.mvu
	$(PY) -m benchmarks.tasks
	$(PY) -m benchmarks.ledgers
	$(PY) -m benchmarks.gateway

bench-cache: $(READY) ## Measure the prompt cache of a real llama.cpp server (builds it the first time: long)
	@if [ ! -x .cache/llamacpp/bin/python ]; then .venv/bin/python -m venv .cache/llamacpp; fi
	@LLAMA_CPP_BUILD_JOBS=$${JOBS:-2} CMAKE_ARGS="-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF" nice .cache/llamacpp/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements/llamacpp.txt
	$(PY) -m benchmarks.cache_llamacpp --record

docs: $(READY) ## Run the code of the documentation and check its links and names
	$(PY) -m pytest tests/test_docs.py

fix: $(READY) ## Repair style and formatting where that is safe
	.venv/bin/ruff check --fix
	.venv/bin/ruff format

fuzz: $(READY) ## Run the property tests for a long time with fresh examples
	HYPOTHESIS_PROFILE=fuzz $(PY) -m pytest --timeout 0 tests/properties

prefix-fuzz: $(READY) ## Chat and change books a million steps at random, and compare every pair of requests (long)
	$(PY) -m tests.prefix.fuzz $${STEPS:-1000000} $${SEED:-0} $${SESSION:-}

real-macros: $(READY) ## Count the macros in the real books and cards, and those that nobody knows
	$(PY) -m tests.test_real_macros $${LOREWRIGHT_SHARED:-../shared}

hostile: $(READY) ## Read 10,000 hostile files under limits of time and memory (long)
	$(PY) -m tests.formats.hostile_corpus 10000

kills: $(READY) ## Kill a program that writes a ledger 200 times; nothing acknowledged may be lost (long)
	$(PY) -m tests.ledger.kill 200

load: $(READY) ## Send 512 streams through the gateway for a minute; nothing dropped, memory flat (long)
	$(PY) -m tests.gateway.load $${STREAMS:-512} 60

mutation: $(READY) ## Change the core in small ways and see whether a test notices (long)
	$(PIP) install --require-hashes -r requirements/mutation.txt
	.venv/bin/mutmut run

lock: ## Write requirements/*.txt anew; UPGRADE=--upgrade takes newer versions
	@python=$$(scripts/find-python "$(PYTHON)") && "$$python" -m venv .cache/lock
	@.cache/lock/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements/lock.txt
	$(COMPILE) pyproject.toml --extra ejs --extra tokens --extra import --extra otel --extra server --group dev --output-file requirements/dev.txt
	$(COMPILE) --group mutation --constraint requirements/dev.txt --output-file requirements/mutation.txt
	$(COMPILE) --group llamacpp --output-file requirements/llamacpp.txt
	$(COMPILE) --group lock --output-file requirements/lock.txt

clean: ## Remove everything that was made here
	rm -rf .venv .cache .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache build dist mutants
	find src tests benchmarks examples -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
