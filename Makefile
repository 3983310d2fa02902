# make run    open the window            make run ARGS='"The cat sat."'
# make test   every check, as CI runs    make bench BENCH="--only hover"
#
# All need Python 3.11 or newer and keep to the folder .venv; name another Python with
# PYTHON=python3.12. The first call installs, later ones start at once.

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
BENCH ?=

PIP = $(VENV)/bin/python -m pip --disable-pip-version-check

.DELETE_ON_ERROR:
.PHONY: run test bench clean

run: $(VENV)/.installed
	@$(VENV)/bin/mha-viewer $(ARGS)

test: $(VENV)/.installed-test
	@$(VENV)/bin/python -m tests

bench: $(VENV)/.installed-test
	@$(VENV)/bin/python -m tests.benchmarks $(BENCH)

clean:
	rm -rf $(VENV) build dist

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'MHA Viewer needs Python 3.11 or newer; name one with: make run PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	  echo 'This Python cannot make a virtual environment; on Debian or Ubuntu: sudo apt-get install python3-venv' >&2; exit 1; }
	@echo 'Installing MHA Viewer into $(VENV): some minutes the first time, most of them for PyTorch.'
	@$(PYTHON) -m venv $(VENV)
	$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(PIP) install --constraint constraints.txt --editable '.[test]'
	@touch $@
