# Two commands on a fresh clone: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
C_FILES := $(wildcard src/whichf1/kernel/c/*.[ch] src/whichf1/kernel/c/*.inc tests/native/*.c)

.PHONY: demo check test test-lowest test-faults test-peers test-doors test-duckdb-1.5 test-dialects lint format hooks bench clean

demo: $(VENV)/demo
	$(BIN)/whichf1 score examples/animals.csv

# the quick tier for daily work, in under a minute: arrays and counts, no files, frames or engines
QUICK := src tests/kernel tests/tables tests/metrics/test_laws.py tests/metrics/test_exact.py \
	tests/scoring/test_macro.py tests/scoring/test_probability.py
check: lint
	$(BIN)/python -m pytest -q -n 2 -m "not slow" -x $(QUICK)

# everything; fails if fewer lines are covered than the floor, in per cent
FLOOR := 97
test: lint test-duckdb-1.5
	$(BIN)/python -m pytest -n 3 --dist loadgroup --cov=whichf1 --cov-report=term:skip-covered \
		--cov-fail-under=$(FLOOR)

# the lowest versions that pyproject allows, with the newest of what those depend on
LOWEST := .venv-lowest
test-lowest: $(VENV)/test
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet . $$($(BIN)/python -m tests.helpers.lowest) pytest hypothesis
	$(LOWEST)/bin/python -m pytest -q -p no:cacheprovider -W default::DeprecationWarning -m "not slow" tests/cli/test_process.py tests/cli/test_cli.py \
		tests/tables/test_saving.py tests/metrics/test_exact.py tests/scoring/test_class_sets.py

# damage at every byte of a file of each format, in about ten minutes
test-faults: $(VENV)/test
	$(BIN)/python -m tests.helpers.faults

# scikit-learn's own tests with functions of ours in place of its own, in about a minute;
# writes docs/scikit-learn-tested.md
test-peers: $(VENV)/test
	$(BIN)/python -m tests.helpers.sklearn_suite

# heavy libraries, each tested for real, in an environment of their own
DOORS := .venv-doors
test-doors: $(DOORS)/ready
	$(DOORS)/bin/python -m pytest -q -p no:cacheprovider tests/doors

$(DOORS)/ready: pyproject.toml
	$(PYTHON) -m venv $(DOORS)
	$(DOORS)/bin/python -m pip install --quiet --upgrade pip
	$(DOORS)/bin/python -m pip install --quiet --editable '.[doors]'
	touch $@

# older DuckDBs differ in SQL and error messages, so files are also read with one of them
test-duckdb-1.5: $(VENV)/test
	PYTHONPATH=$(VENV)/duckdb-1.5 $(BIN)/python -m pytest -q -n 2 -m "not slow" \
		tests/sources/test_files.py tests/sources/test_bad_files.py tests/sources/test_formats.py \
		tests/sources/test_class_scores.py tests/comparison/test_set_systems.py \
		-k "test_files or test_bad_files or every_format or every_way or duckdb or parquet"

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run -Werror $(C_FILES)
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports

# fix what can be fixed automatically
format: $(VENV)/test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(C_FILES)

# check each commit with the tools of `make lint`
hooks: $(VENV)/test
	$(BIN)/pre-commit install

# every dialect against the real library, each in its own environment; writes docs/dialects-tested.md
test-dialects: $(VENV)/test
	$(BIN)/python -m tests.dialects.run_all

# speed compared with peers, in about four minutes; writes benchmarks/RESULTS.md
bench: $(BENCH)/ready
	$(BENCH)/bin/python -m benchmarks.speed
	$(BENCH)/bin/python -m benchmarks.uncertainty
	$(BENCH)/bin/python -m benchmarks.engines
	$(BENCH)/bin/python -m benchmarks.sklearn_functions

# a separate environment; one peer pins old build tools, so it is installed without dependencies
$(BENCH)/ready: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --upgrade pip
	$(BENCH)/bin/python -m pip install --quiet --editable '.[bench]'
	$(BENCH)/bin/python -m pip install --quiet --no-deps confidenceinterval==1.0.5
	touch $@

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/demo: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/test: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[test,plot]'
	$(BIN)/python -m pip install --quiet --no-deps --target $(VENV)/duckdb-1.5 --upgrade 'duckdb>=1.5,<2'
	command -v java >/dev/null || (apt-get update -q && apt-get install -y -q --no-install-recommends openjdk-17-jre-headless)
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || (apt-get update -q && apt-get install -y -q --no-install-recommends postgresql) \
		|| (test "$$CI" != true && echo "PostgreSQL is not installed: its tests are left out")
	(command -v pdflatex && command -v pdftotext) >/dev/null || (apt-get update -q && apt-get install -y -q --no-install-recommends texlive-latex-extra texlive-science lmodern poppler-utils)
	touch $@ $(VENV)/demo

clean:
	rm -rf $(VENV) $(BENCH) $(LOWEST) $(DOORS) .venv-dialects build dist src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
