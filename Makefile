# Two commands on a fresh clone: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench

.PHONY: demo test test-dialects check bench clean

demo: $(VENV)/demo
	$(BIN)/whichf1 score examples/animals.csv

test: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2 --dist loadgroup
	PYTHONPATH=$(VENV)/duckdb-1.5 $(BIN)/python -m pytest -q tests/sources/test_files.py tests/sources/test_bad_files.py tests/sources/test_columns.py tests/sources/test_class_scores.py tests/comparison/test_set_systems.py -k "not spark and not dask and not polars and not pandas"

# every dialect against its real library, each in an environment of its own; writes docs/dialects-tested.md
test-dialects: $(VENV)/test
	$(BIN)/python -m tests.dialects.run_all

# the quick tier for daily work
check: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 -m "not slow" -x

# the speed tables against peers, in about four minutes; writes benchmarks/RESULTS.md
bench: $(BENCH)/ready
	$(BENCH)/bin/python benchmarks/speed.py
	$(BENCH)/bin/python benchmarks/uncertainty.py
	$(BENCH)/bin/python -m benchmarks.engines

# an environment of its own: a peer pins old build tools, so that it comes without its dependencies
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
	touch $@ $(VENV)/demo

clean:
	rm -rf $(VENV) $(BENCH) .venv-dialects build dist src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
