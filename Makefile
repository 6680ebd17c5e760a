# Two commands on a fresh clone: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
C_FILES := $(wildcard src/whichf1/kernel/c/*.[ch] src/whichf1/kernel/c/*.inc tests/native/*.[ch])

# hundreds of tests start Python: bytecode is kept, even where the environment says otherwise
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo check test tests test-long test-lowest test-faults test-peers test-portable test-doors test-duckdb-1.5 test-dialects release-check lint format hooks docs bench bench-all clean

demo: $(VENV)/demo
	$(BIN)/whichf1 score examples/animals.csv

# the quick tier for daily work, in under a minute: arrays and counts, no files, frames or engines
QUICK := src tests/kernel tests/tables tests/metrics/test_laws.py tests/metrics/test_exact.py \
	tests/scoring/test_macro.py tests/scoring/test_probability.py
check: lint
	$(BIN)/python -m pytest -q -n 2 -m "not slow" -x $(QUICK)

# everything but what takes minutes
test: $(VENV)/test
	$(MAKE) --no-print-directory --jobs=2 lint tests

# all tests; fails if fewer lines are covered than the floor, in per cent. SlipCover puts marks into
# the bytecode and removes them again: tracing each line would take half as long again as the tests.
FLOOR := 97
SLIPCOVER := $(BIN)/python -m slipcover --source src/whichf1
tests: $(VENV)/test
	$(SLIPCOVER) --json --out $(VENV)/coverage.json -m pytest -n 3 --dist loadgroup -m "not long"
	$(SLIPCOVER) --merge $(VENV)/coverage.json --out $(VENV)/coverage.json --skip-covered --fail-under $(FLOOR)

# simulations of thousands of data sets, further random seeds, clusters whose workers are killed,
# scikit-learn's own tests and an older DuckDB; continuous integration runs `test`, `test-doors` and this
test-long: $(VENV)/test test-duckdb-1.5
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m long tests

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

# the C loops on 64-bit ARM under qemu and on Windows under wine: the same bits everywhere
test-portable: $(VENV)/test
	(command -v wine && command -v qemu-aarch64 && command -v x86_64-w64-mingw32-gcc && command -v aarch64-linux-gnu-gcc) >/dev/null || \
		(apt-get update -q && apt-get install -y -q --no-install-recommends gcc-mingw-w64-x86-64 wine wine64 \
		qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
	$(BIN)/python -m tests.helpers.portable

# the real Lightning, Hugging Face, Keras, MLflow, Weights & Biases, Ray and gcsfs, in about five
# minutes; Keras on both of its backends
DOORS := .venv-doors
test-doors: $(DOORS)/ready
	KERAS_BACKEND=torch $(DOORS)/bin/python -m pytest -q -o addopts=--strict-markers tests/doors
	KERAS_BACKEND=jax $(DOORS)/bin/python -m pytest -q -o addopts=--strict-markers tests/doors -k keras

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
	$(BIN)/zizmor --offline --quiet .github

# fix what can be fixed automatically
format: $(VENV)/test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(C_FILES)

# check each commit with the tools of `make lint`
hooks: $(VENV)/test
	$(BIN)/pre-commit install

# the release checklist: what is built, its tags, and the README's example in empty environments
release-check: $(VENV)/test
	$(BIN)/python -m pip install --quiet '.[release]'
	$(BIN)/python -m tests.helpers.release

# every dialect against the real library, each in its own environment; writes docs/dialects-tested.md
test-dialects: $(VENV)/test
	$(BIN)/python -m tests.dialects.run_all

# the site, in docs/_build/html: warnings are errors, and a browser opens every page
DOCS := .venv-docs
docs: $(DOCS)/ready $(VENV)/test
	$(DOCS)/bin/python -m sphinx -b html -q -W --keep-going docs docs/_build/html
	$(BIN)/python -m tests.helpers.site

$(DOCS)/ready: pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --upgrade pip
	$(DOCS)/bin/python -m pip install --quiet --editable '.[docs]'
	touch $@

# speed compared with peers, in about five minutes; each script writes its own section of
# benchmarks/RESULTS.md, EVERY_SCORE.md, or the table of its page in docs
bench: $(BENCH)/ready
	$(BENCH)/bin/python -m benchmarks.run_all

# what takes longer: peers that take many seconds, files of 10⁸ rows, Spark and Dask, growth of time
# and memory, the cost model; in more than half an hour, with some 2 GB of temporary files
bench-all: $(BENCH)/ready
	$(BENCH)/bin/python -m benchmarks.run_all --all

# a separate environment; two peers pin old versions, so they are installed without dependencies
$(BENCH)/ready: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --upgrade pip
	$(BENCH)/bin/python -m pip install --quiet --editable '.[bench]'
	$(BENCH)/bin/python -m pip install --quiet --no-deps confidenceinterval==1.0.5 irrCAC==0.4.4
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
	command -v chromium >/dev/null || (apt-get update -q && apt-get install -y -q --no-install-recommends chromium)
	touch $@ $(VENV)/demo

clean:
	rm -rf $(VENV) $(BENCH) $(DOORS) $(LOWEST) $(DOCS) .venv-dialects build dist src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
