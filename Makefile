# make demo and make test need Python 3.11 or newer and make, nothing else: each builds its own virtual environment.
# A second call re-uses it; a changed pyproject.toml rebuilds it. PYTHON=... chooses the interpreter, ARGS=... is handed on.

DEMO = prum-eval eval -s fixtures/demo/structure.tsv -u hierarchical -f table \
	-m map -m prum_map -m eprum_map -m gen_recall.1,5,10 \
	fixtures/demo/assessments fixtures/demo/run-a.xml fixtures/demo/run-b.xml

SHELL := /bin/sh
ARGS ?=
SECONDS ?= 60
SEED ?= 1
MODERN := import sys; sys.exit(sys.version_info < (3, 11))
PIP_FLAGS := --quiet --disable-pip-version-check

# The first candidate that runs (a shim may exist and fail), is new enough and, if any does, can make environments.
PYTHON ?= $(shell for wanted in 'import ensurepip, venv' 'pass'; do \
	for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	if $$candidate -c "$$wanted; $(MODERN)" >/dev/null 2>&1; then echo $$candidate; exit; fi; done; done)

BIN := .venv/bin
DEV := .venv/.installed
SITE := .venv/.installed-docs
RUNTIME := .venv-demo/.installed
FRAMEWORKS := .venv-frameworks/.installed
LOWEST := .venv-lowest/.installed
LOWEST_VERSIONS := import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	required = project["dependencies"] + project["optional-dependencies"]["plot"]; \
	print(*(name.replace(">=", "==") for name in required))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo check test test-all frameworks lowest fuzz lint type bench gold docs papers site wheel format clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 16

demo: $(RUNTIME) ## evaluate two small runs
	@echo '$$ $(DEMO)'
	@.venv-demo/bin/$(DEMO)

check: ## all that CI checks: tests, style, rules, types, site, wheel, demo
	@.ci/run

test: $(DEV) ## run the tests but the slow ones, on few random examples; one of them: make test ARGS="-k bepd"
	@$(BIN)/python -m pytest -n auto --dist worksteal --hypothesis-profile quick -m "not slow" $(ARGS)

test-all: $(DEV) ## run all tests on more examples; the slow ones by themselves: make test ARGS="-m slow"
	@$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

frameworks: $(FRAMEWORKS) ## run the tests and pages of chunks with LangChain, LlamaIndex and Haystack themselves
	@PRUM_EVAL_FRAMEWORKS=1 .venv-frameworks/bin/python -m pytest -p no:cacheprovider \
		tests/chunks/test_frameworks.py tests/docs/test_framework_pages.py $(ARGS)

lowest: $(LOWEST) ## run tests with the lowest versions of what pyproject.toml requires (Python 3.11 or 3.12)
	@.venv-lowest/bin/python -m pytest -n auto --dist worksteal -p no:cacheprovider --hypothesis-profile quick \
		-m "not slow" tests/cli tests/end_to_end tests/report/plots $(ARGS)

fuzz: $(DEV) ## feed every reader damaged inputs: make fuzz SECONDS=60 (of processor time, each) SEED=1
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --seed $(SEED) $(ARGS)

lint: $(DEV) ## check style, formatting and the directions of imports
	@$(BIN)/python -m ruff check
	@$(BIN)/python -m ruff format --check
	@$(BIN)/python -m pytest -q -p no:xdist tests/rules

format: $(DEV) ## mend what can be mended of style and formatting
	@$(BIN)/python -m ruff check --fix
	@$(BIN)/python -m ruff format

type: $(DEV) ## check types, strictly
	@$(BIN)/python -m mypy --strict prum_eval

bench: $(DEV) ## run the benchmarks
	@$(BIN)/python -m bench $(ARGS)

gold: $(DEV) ## rewrite the gold files of the tests; read the difference before it is committed
	@$(BIN)/python tests/gold.py $(ARGS)

docs: $(DEV) ## write the generated documentation again
	@$(BIN)/python docs/generate.py
	@$(BIN)/python docs/code_figures.py

papers: $(DEV) ## run docs/papers.md as it stands, and draw its pictures: minutes
	@$(BIN)/python -m tests.docs.paper_page

site: $(SITE) ## build the documentation as a site into site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "site/index.html"

wheel: $(DEV) ## build the wheel into dist
	@rm -rf dist
	@$(BIN)/python -m pip wheel $(PIP_FLAGS) --no-deps -w dist .

clean: ## remove environments, caches and builds
	@rm -rf .venv .venv-demo .venv-frameworks .venv-lowest dist build site .pytest_cache .mypy_cache .ruff_cache .hypothesis bench/generated papers
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# $(call environment,FOLDER,WHAT TO INSTALL): a new environment, marked when it is complete.
define environment
	@fail() { echo "$$* Choose another Python: make PYTHON=/path/to/python3" >&2; exit 1; }; \
	python='$(PYTHON)'; \
	[ -n "$$python" ] || fail 'prum-eval needs Python 3.11 or newer and found none.'; \
	version=$$("$$python" --version 2>/dev/null) || fail "$$python does not run."; \
	"$$python" -c '$(MODERN)' || fail "prum-eval needs Python 3.11 or newer; $$python is $$version."; \
	"$$python" -c 'import ensurepip, venv' 2>/dev/null || fail "$$python cannot make virtual environments, its" \
		'modules venv and ensurepip are missing; on Debian and Ubuntu they come with: apt install python3-venv.'; \
	echo "Setting up $(1) with $$version (once) ..." >&2; \
	"$$python" -m venv --clear $(1)
	@$(1)/bin/python -m pip install $(PIP_FLAGS) -e $(2)
	@touch $(1)/.installed
endef

$(DEV): pyproject.toml
	$(call environment,.venv,'.[dev]')

$(SITE): $(DEV)
	@$(BIN)/python -m pip install $(PIP_FLAGS) -e '.[docs]'
	@touch $@

$(RUNTIME): pyproject.toml
	$(call environment,.venv-demo,.)

$(FRAMEWORKS): pyproject.toml
	$(call environment,.venv-frameworks,'.[frameworks]')

$(LOWEST): pyproject.toml
	$(call environment,.venv-lowest,'.[dev]' $$(.venv-lowest/bin/python -c '$(LOWEST_VERSIONS)'))
