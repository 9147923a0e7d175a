# Everything here works on a fresh machine with Python 3.11 or newer and make.
#
#   make demo       set up, then find the front of a simulated order and of an example file of votes
#   make test       set up, then run the tests (COVERAGE=1: and list the lines that none of them runs)
#   make test-slow  the long guarantee runs
#   make test-minimum  some of the tests with the lowest versions of the dependencies
#   make test-python   some of the tests with another Python: make test-python WITH=python3.13
#   make browser    install Debian's Chromium (as root), for the tests of the pages that people vote in
#   make lint       style, types and the direction of imports
#   make docs       build the documentation in out/docs (open out/docs/index.html)
#   make review     the scientific-Python repository review
#   make hooks      check style and types before every commit from now on
#   make bench      run every benchmark once, with few runs; takes minutes
#   make measurements  make the measured tables of the documentation again (hours)
#   make release-check  build the package, and try it in fresh environments with each extra; takes minutes
#                       (EXTRAS=none: only without any)
#   make clean      remove what the targets above have made

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY  := $(VENV)/.ready
JOBS   ?= auto

# Dependency groups need pip 25.1, and a Python may come with an older one.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help setup browser demo test test-slow test-minimum test-python lint docs review hooks bench measurements release-check clean

help:
	@sed -n 's/^#   //p' Makefile

setup: $(READY)

# The stamps are newer than what decides the environment, so nothing is installed twice. Using the
# package needs only the first of them.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: $(PYTHON) is $$($(PYTHON) --version 2>&1), and Python 3.11 or newer is needed: make PYTHON=/path/to/python" >&2; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) 'pip>=25.1'
	$(INSTALL) --editable '.[all]'
	@touch $@

$(READY): $(INSTALLED)
	$(INSTALL) --group dev
	@touch $@

# The tests of the served pages use Debian's Chromium, and are skipped where there is none.
browser:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
	  echo "make: there is no chromium, so the tests in a browser are skipped" >&2

demo: $(INSTALLED)
	@mkdir -p out
	@echo "Example 1: a simulated order of 95 items, whose front a method finds by asking for duels."
	$(BIN)/antichain demo --output out/demo-hasse.png --force
	@echo
	@echo "Example 2: votes on eight films. Which are the best ones?"
	$(BIN)/antichain front examples/films.csv --report out/demo-films.html --force
	@echo
	@echo "The answer about the films is in out/demo-films.html. For your own votes, one row per vote:"
	@echo "  . $(BIN)/activate"
	@echo "  antichain front votes.csv"

test: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(if $(COVERAGE),--cov --cov-report=term --cov-report=xml:out/coverage.xml)

test-slow: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m slow

test-minimum: $(READY)
	$(BIN)/python tools/release.py test --minimum

test-python: $(READY)
	$(BIN)/python tools/release.py test --python $(WITH)

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --platform win32
	$(BIN)/lint-imports

# What builds the site is installed for it alone: nothing else needs it.
$(VENV)/.docs-ready: $(READY)
	$(INSTALL) --group docs
	@touch $@

docs: $(VENV)/.docs-ready
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs out/docs
	@echo "open out/docs/index.html"

review: $(READY)
	$(BIN)/sp-repo-review .

hooks: $(READY)
	$(BIN)/pre-commit install

# Few runs of each: `python tools/measurements.py --list` has what the published tables were made with.
define BENCHMARKS
duels.py --posets 1 --picture out/bench-duels.png
errors.py --world retries
judge.py --worlds 1 --sizes 8
likely.py calibration --worlds 2
likely.py budget --worlds 1 --items 8
likely.py seeds --items 8
movielens.py --ratings 100000 --films 30 --repeats 1
observable.py --posets 1
others.py --quick
scale.py --sizes 1000
scores.py --rows 100000 --repeats 1
serve.py --voters 10 --seconds 2
speed.py --runs 2
votes.py --votes 20000 --repeats 1
endef
export BENCHMARKS

bench: $(READY)
	@echo "$$BENCHMARKS" | while read -r program; do echo "== benchmarks/$$program"; \
	  $(BIN)/python benchmarks/$$program </dev/null || exit 1; done

measurements: $(READY)
	$(BIN)/python tools/measurements.py

release-check: $(READY)
	$(BIN)/python tools/release.py check $(EXTRAS)

clean:
	rm -rf $(VENV) out build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.*
	find src tests benchmarks examples -name __pycache__ -type d -exec rm -rf {} +
