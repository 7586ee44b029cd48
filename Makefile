# Two commands on a fresh machine: `make serve` and `make test`. Each does all the set-up.

PYTHON ?= python3
INI ?= development.ini
ENDPOINT ?= topics
REVISION ?= HEAD
BIN := .venv/bin

.PHONY: serve test lint bench compare profile clean

# The parts of the project that say what has to be installed.
STAMP := .venv/.installed-base
TEST_STAMP := .venv/.installed-test
BENCH_STAMP := .venv/.installed-bench
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

$(BIN)/python:
	$(PYTHON) -m venv .venv

$(STAMP): setup.py constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[postgresql]'
	@touch $@

$(TEST_STAMP): setup.py constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[dev]'
	@touch $(STAMP) $@

$(BENCH_STAMP): setup.py constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[dev,bench]'
	@touch $(STAMP) $(TEST_STAMP) $@

serve: $(STAMP)
	@$(BIN)/forumsvc -c $(INI) db upgrade
	@$(BIN)/forumsvc -c $(INI) demo --if-empty
	@exec $(BIN)/pserve $(INI)

test: $(TEST_STAMP)
	$(BIN)/python -m pytest -n 2 $(ARGS)

# mypy reads the benchmarks, too, so their libraries must be there.
lint: $(BENCH_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.run $(ARGS)

# Measures this checkout and another revision by turns: make compare REVISION=v1
compare: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.compare $(REVISION) $(ARGS)

profile: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.profile $(ENDPOINT) $(ARGS)

clean:
	rm -rf .venv var build dist *.egg-info
