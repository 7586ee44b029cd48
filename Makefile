# Two commands on a fresh machine: `make serve` and `make test`. Each does all the set-up.

PYTHON ?= python3
INI ?= development.ini
REVISION ?= HEAD
BIN := .venv/bin

.PHONY: serve test test-extended test-pooler test-all test-lowest lint bench compare screenshots generated clean

# The parts of the project that say what has to be installed.
STAMP := .venv/.installed-base
TEST_STAMP := .venv/.installed-test
EXTENDED_STAMP := .venv/.installed-extended
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

$(BIN)/python:
	$(PYTHON) -m venv .venv

$(STAMP): setup.py constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[postgresql]'
	@touch $@

$(TEST_STAMP): setup.py constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[dev]'
	@touch $(STAMP) $@

$(EXTENDED_STAMP): tests/downloads.py $(wildcard tests/system/*/npm/package-lock.json) $(TEST_STAMP)
	$(BIN)/python -m tests.downloads
	@touch $@

serve: $(STAMP)
	@$(BIN)/forumsvc -c $(INI) db upgrade
	@$(BIN)/forumsvc -c $(INI) demo --if-empty
	@exec $(BIN)/pserve $(INI)

# A worker for each core; one that has nothing left takes over tests of another.
PYTEST := -m pytest -n logical --maxprocesses 8 --dist worksteal

# The quick tests. docs/testing.md says which test belongs where.
test: $(TEST_STAMP)
	$(BIN)/python $(PYTEST) -m 'not extended' $(ARGS)

# The others: long ones, the browser's, and PostgreSQL's half of those that run on SQLite above.
# Many wait for other processes, so there is a worker more than cores.
test-extended: $(EXTENDED_STAMP)
	$(BIN)/python $(PYTEST) -n $$(($$(getconf _NPROCESSORS_ONLN) + 1)) -m extended $(ARGS)

# What `make test` runs on PostgreSQL, behind a PgBouncer, which must be installed.
test-pooler: $(TEST_STAMP)
	$(BIN)/python $(PYTEST) tests/functional -k postgresql -m 'not extended' --pooler $(ARGS)

test-all: test test-extended test-pooler

# The quick unit and functional tests with the oldest libraries that setup.py allows, in an
# environment of their own: pip has no such choice, uv has.
test-lowest: | $(BIN)/python
	$(PYTHON) -m venv --clear .venv/lowest
	.venv/lowest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv/lowest/bin/uv pip install --quiet --python .venv/lowest --resolution lowest-direct --editable '.[test]'
	.venv/lowest/bin/python $(PYTEST) tests/unit tests/functional -m 'not extended' $(ARGS)

lint: $(TEST_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(TEST_STAMP)
	$(BIN)/python -m benchmarks.run $(ARGS)

# Measures this checkout and another revision by turns: make compare REVISION=v1
compare: $(TEST_STAMP)
	$(BIN)/python -m benchmarks.compare $(REVISION) $(ARGS)

# The README's, of this checkout, into docs/images. Needs a Chromium.
screenshots: $(TEST_STAMP)
	$(BIN)/python -m docs.make_screenshots

# After a change of settings, tables, texts of the pages or the examples of Markdown: the pages and
# catalogues that are made of them.
generated: $(TEST_STAMP)
	$(BIN)/python -m docs.make_generated

clean:
	rm -rf .venv var build dist *.egg-info
