# Everything runs from one environment that these targets make themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: env compare test lint types bench docs soak page-tools clean

env: $(VENV)/made

$(VENV)/made: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[parquet]' --group test --group lint --group page
	touch $@

compare: env
	$(BIN)/gpurent compare --workload bert-large --top 15

test: env
	$(BIN)/python -m pytest

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/deptry .

types: env
	$(BIN)/mypy

bench: env
	$(BIN)/python -m benchmarks

docs: env
	$(BIN)/python tools/refresh_docs.py
	$(BIN)/python tools/refresh_scores.py

soak: env
	$(BIN)/python -m pytest -m soak

# What only the page's tests need, from npm; they skip with the reason where it is not there.
page-tools:
	npm install --no-save --no-package-lock --no-audit --no-fund --silent --prefix tests/page/tools axe-core@4.14.1

clean:
	rm -rf $(VENV) dist build
