# Three commands: `make demo` to see it learn, `make play` to play against it, `make test` for all that guards the project.
PYTHON ?= python3
BIN := .venv/bin
DONE := .venv/.installed

.PHONY: demo play test test-long setup lint types contracts warm tests interpreted docs bench clean
PYTEST := $(BIN)/pytest --numprocesses 3 --dist worksteal

demo: $(DONE)
	$(BIN)/smoothcall train leduc cfr+ --seconds 4
	@echo "(first: . .venv/bin/activate)"

play: $(DONE)
	$(BIN)/smoothcall play

# What only reads goes on beside the compiling; the tests have the machine to themselves.
test: $(DONE)
	$(MAKE) --jobs 2 --output-sync warm lint types contracts
	$(PYTEST) -rs
	$(MAKE) interpreted

# The full-size forms of tests that `make test` runs at a smaller size.
test-long: warm
	$(PYTEST) -rs -m long

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
warm: $(DONE)
	$(BIN)/python -m tests.warm

tests: warm
	$(PYTEST) -rs

# A reduced form without the compiler: kernels as plain Python.
interpreted: $(DONE)
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m interpreted

docs: $(DONE)
	$(BIN)/python -m tests.generated_docs

bench: $(DONE)
	$(BIN)/smoothcall bench

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build
	find src tests -name __pycache__ -prune -exec rm -rf {} +
