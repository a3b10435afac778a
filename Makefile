# `make demo` trains an agent, `make play` opens a table in the browser, `make test` runs all checks.
PYTHON ?= python3
BIN := .venv/bin
DONE := .venv/.installed

.PHONY: demo play test test-long setup lint types contracts warm tests compiled interpreted docs bench clean
QUIETLY := --quiet --disable-pip-version-check --no-compile
PYTEST := $(BIN)/pytest --dist worksteal --numprocesses
HANGING := -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true # a test that hangs shows where, and fails
WORKERS := 3 # more than cores: many tests wait for a server or a browser

# Packages are installed without bytecode; without keeping it, every process would compile all that it imports, for seconds.
unexport PYTHONDONTWRITEBYTECODE

demo: $(DONE)
	$(BIN)/smoothcall train leduc cfr+ --seconds 4
	@echo "(first: . .venv/bin/activate)"

play: $(DONE)
	$(BIN)/smoothcall play

# Static checks run while kernels are compiled, the reduced suite beside the first of the others.
test: $(DONE)
	$(MAKE) --jobs 2 --output-sync warm lint types contracts
	$(MAKE) --jobs 2 compiled interpreted

# The full-size forms of tests that `make test` runs at a smaller size; Hypothesis marks its property tests itself.
test-long: warm
	SMOOTHCALL_FULL_SIZE=1 $(PYTEST) $(WORKERS) -rs -m 'long or hypothesis'

setup: $(DONE)

# Only files whose hashes are in the lock are installed, the build requirement among them; the lock lists all, so nothing is resolved.
# Three processes install every third package each, at the same time.
LOCKED = $(BIN)/python -m pip install $(QUIETLY) --no-deps --require-hashes --requirement
PARTS := 0 1 2
$(DONE): pyproject.toml requirements.lock
	$(PYTHON) -m venv .venv
	for part in $(PARTS); do awk "/^[^ #]/ {n++} n % 3 == $$part" requirements.lock > .venv/$$part.lock; done
	for part in $(PARTS); do $(LOCKED) .venv/$$part.lock & all="$$all $$!"; done; for each in $$all; do wait $$each || exit 1; done
	$(BIN)/python -m pip install $(QUIETLY) --no-deps --no-build-isolation --editable .
	touch $(DONE)

lint: $(DONE)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(DONE)
	$(BIN)/mypy

contracts: $(DONE)
	$(BIN)/lint-imports

# Compile kernels before the tests, so that no two workers compile the same one.
warm: $(DONE)
	$(BIN)/python -m tests.warm

tests: warm
	$(MAKE) compiled

compiled: $(DONE)
	$(PYTEST) $(WORKERS) $(HANGING) -rs

# A reduced suite with the compiler disabled: kernels as plain Python. Other files are not collected, which would import them.
interpreted: $(DONE)
	NUMBA_DISABLE_JIT=1 $(PYTEST) 1 $(HANGING) -m 'interpreted and not long' $$(grep --recursive --files-with-matches mark.interpreted tests --include=test_*.py)

docs: $(DONE)
	$(BIN)/python -m tests.generated_docs

bench: $(DONE)
	$(BIN)/smoothcall bench

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build
	find src tests -name __pycache__ -prune -exec rm -rf {} +
