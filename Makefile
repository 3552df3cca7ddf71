# Needs Python 3.11 or newer and make; everything else is fetched. `make help` lists the targets.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed.lock
SERVING := $(VENV)/serving.lock
# Into the virtual environment, exactly what the lock says.
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --quiet --require-hashes -r
# Only reading the code, not serving: any key and an empty data folder will do.
READING := env SECRET_KEY=only-to-read-the-code DATA_DIR=$(CURDIR)/.cache/reading
PIN := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url pyproject.toml
# Neighbours stay in one process, so that what a file of tests sets up is set up once. Bytecode is written whatever the
# environment says: without it, each process spends half a minute on rewriting the assertions of the tests.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 2 --dist worksteal

# Files with a test that needs patience: the other four fifths need not be collected to find none there.
PATIENT = $(shell grep -rlE 'mark\.(slow|browser)' tests --include='test_*.py' | sort)

.PHONY: help setup run test fast test-slow test-again test-all soak bench lint format check messages reference guide lock vendor

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(INSTALLED)  ## virtual environment, pinned packages, translations
	@$(BIN)/python scripts/compile_messages.py

$(INSTALLED): requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) requirements.lock
	cp requirements.lock $@

# What serving needs, half of the whole: the demo of a fresh clone is there in half the time.
# The lock is complete, so nothing has to be resolved, and only what is loaded has to be compiled.
$(SERVING): requirements-run.lock
	@printf "1/6 Install packages … "; started=$$(date +%s); \
	  $(PYTHON) -m venv $(VENV) && $(INSTALL) $< --no-deps --no-compile && cp $< $@ && \
	  echo "$$(($$(date +%s) - started)) s"

# Bytecode is written whatever the environment says: without it, each start takes seconds more.
run: $(SERVING)  ## the demo: database, sample data, web server and worker; Ctrl+C stops all
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m scripts.run

test: setup  ## before each commit: lint, the tests without patience, some with a browser, both databases, a fault
	scripts/system_packages
	$(MAKE) --no-print-directory --jobs 2 lint fast

fast: setup
	$(PYTEST) -m "quick or not (slow or browser)"

test-slow: setup  ## the others, which need patience: browser, both database servers, faults, races, installations
	scripts/system_packages
	$(PYTEST) --cache-clear -m "(slow or browser) and not quick" $(PATIENT)

test-again: setup  ## at most five tests that failed just now, once more and one by one; it names them
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m scripts.test_again

test-all: test test-slow  ## both

soak: setup  ## everything at once for ten minutes on each database, with faults, and a proof that nothing was lost
	scripts/system_packages
	$(BIN)/python -m tests.soak

bench: setup  ## measure what we claim about speed; writes benchmarks/results/
	$(BIN)/python -m benchmarks

lint: setup  ## style, types, templates
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(READING) $(BIN)/mypy annotate judging lib config
	$(BIN)/djlint --lint --quiet .
	$(BIN)/python scripts/check_templates.py

format: setup  ## rewrite Python in the agreed layout
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: lint  ## lint, deployment check with no warning, no missing migration
	SECRET_KEY=$$($(BIN)/python -c "import secrets; print(secrets.token_urlsafe(60))") DEBUG=false HTTPS=true \
	  DATA_DIR=$(CURDIR)/.cache/reading $(BIN)/python manage.py check --deploy --fail-level WARNING
	$(READING) $(BIN)/python manage.py makemigrations --check --dry-run

messages: setup  ## collect the texts to translate (needs gettext) and compile the translations
	$(READING) $(BIN)/python manage.py makemessages --all --no-wrap --no-obsolete --add-location file --ignore .venv --ignore var
	$(BIN)/python scripts/compile_messages.py

reference: setup  ## write docs/reference anew, out of docstrings
	$(READING) $(BIN)/python -m scripts.reference

guide: setup  ## take the pictures of docs/guide and docs/forms.md anew (needs Chromium)
	$(READING) $(BIN)/python -m scripts.guide pictures
	$(READING) $(BIN)/python -m scripts.guide questions

lock: setup  ## pin the newest allowed versions, with hashes and without addresses
	$(PIN) --upgrade --extra dev --output-file requirements.lock
	$(PIN) --constraint requirements.lock --output-file requirements-run.lock

vendor: setup  ## fetch the browser libraries of static/vendor/VENDORED.toml again (needs npm)
	$(BIN)/python scripts/vendor.py
