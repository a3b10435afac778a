# Three commands: `make demo` to see it learn, `make play` to play against it, `make test` for all that guards the project.
PYTHON ?= python3
BIN := .venv/bin
DONE := .venv/.installed

.PHONY: demo play test setup lint types contracts tests interpreted docs bench clean

demo: $(DONE)
	$(BIN)/smoothcall train leduc cfr+ --seconds 4
	@echo "(first: . .venv/bin/activate)"

play: $(DONE)
	$(BIN)/smoothcall play

test: lint types contracts tests interpreted

setup: $(DONE)

$(DONE): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(DONE)

lint: $(DONE)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(DONE)
	$(BIN)/mypy

contracts: $(DONE)
	$(BIN)/lint-imports

# Kernels are compiled before the tests run, so that two processes do not both compile them.
tests: $(DONE)
	$(BIN)/python -m tests.warm
	$(BIN)/pytest --numprocesses 2 --dist worksteal -rs

# A reduced form without the compiler: kernels as plain Python.
interpreted: $(DONE)
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest --numprocesses 2 -m interpreted

docs: $(DONE)
	$(BIN)/python -m tests.generated_docs

bench: $(DONE)
	$(BIN)/smoothcall bench

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build
	find src tests -name __pycache__ -prune -exec rm -rf {} +
