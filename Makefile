# One word a habit. `make` alone explains them; scripts/venv.sh makes the environment, pyproject.toml configures the tools.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory
# Where nothing compiled is kept, each process that a crawl or a test starts would compile a thousand files anew.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
# What is checked; bench/ and scripts/ only where they have Python in them.
CODE := src tests $(patsubst %/__main__.py,%,$(wildcard bench/__main__.py)) $(wildcard scripts/*.py)
# Twice the two cores of a small machine, since half of a test is waiting; one file's tests stay together: they share servers.
PYTEST := $(BIN)/python -m pytest --quiet
PARALLEL ?= 4
SPREAD = -n $(PARALLEL) --dist loadfile --no-loadscope-reorder --max-worker-restart 1
# Journeys are told on SQLite and PostgreSQL in turns.
TELL = JOURNEY_STORES=$(or $(STORIES),turns)

.PHONY: help
help: ## Explain the targets
	@echo "Cormorant: make TARGET"; echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo 'make run START="https://handbook.example.org/ /srv/papers"   crawls these and serves a search page for them'

# --- the environment: a stamp is older than its lock, or there is nothing to do

LOCKED = requirements/setup.txt requirements/$(1).txt pyproject.toml scripts/venv.sh

# Whoever names a Python gets that one, also when there is an environment already.
.PHONY: named-python
.venv/.stamp-run: $(call LOCKED,run) $(if $(PYTHON),named-python)
	@scripts/venv.sh run

.venv/.stamp-dev: $(call LOCKED,dev) .venv/.stamp-run
	@scripts/venv.sh dev

.venv/.stamp-pages: $(call LOCKED,pages) $(wildcard requirements/pages/*.json) .venv/.stamp-dev
	@scripts/venv.sh pages

.venv/.stamp-bench: $(call LOCKED,bench) .venv/.stamp-run
	@scripts/venv.sh bench

.venv/.stamp-docs: $(call LOCKED,docs) .venv/.stamp-run
	@scripts/venv.sh docs

.PHONY: setup
setup: .venv/.stamp-run ## Make .venv with the product in it (PYTHON=python3.12 for another Python than 3.11)
	@echo "Ready: $(BIN)/cormorant"

# --- what people do

# The sample has a data folder of its own, beside the installation that START and the command go to.
SAMPLE := sample-data
# SERVE=0, or no terminal: crawl, print what was found, end. The shell splits START, so quotes around "a b?c&d" are enough.
# Without a terminal the program takes the shell's place, which would not tell it when make is told to end.
.PHONY: run
run: export START := $(START)
run: .venv/.stamp-run ## Crawl START="url or folder ..." (nothing: a sample) and serve it (PORT=N; SERVE=0 only crawls, SERVE=1 serves without a terminal too)
	@set -f; arguments=($$START); \
	if [[ -z "$$START$${CORMORANT_DATA:-}" ]]; then arguments+=(--data $(SAMPLE)); fi; \
	if [[ -n "$(PORT)" ]]; then arguments+=(--port "$(PORT)"); fi; \
	if [[ "$(SERVE)" == 0 ]]; then arguments+=(--no-serve); \
	elif [[ "$(SERVE)" != 1 ]] && ! [[ -t 0 && -t 1 ]]; then arguments+=(--no-serve); \
	echo "Without a terminal this ends after the crawl; make run SERVE=1 serves the search page, too." >&2; \
	fi; \
	[[ -t 0 ]] || exec $(BIN)/cormorant quickstart "$${arguments[@]}"; \
	$(BIN)/cormorant quickstart "$${arguments[@]}" || { code=$$?; [[ $$code == 130 ]] || exit $$code; }  # 130: Ctrl-C

.PHONY: test
test: .venv/.stamp-dev ## Run every test that needs no server or browser installed, but for long journeys (PARALLEL=0: in one process)
	@$(TELL) $(PYTEST) -m "not server and not browser and not long" $(SPREAD)

.PHONY: journeys
journeys: .venv/.stamp-dev ## Run the long journeys: kills, full disks, outages, edits (STORIES=all: on both stores, and not in turns)
	@$(TELL) $(PYTEST) -m "long and not server and not browser" $(SPREAD)

# A clock of a busy machine is late at times. A fault of ours fails here too: one of three is not worth another look.
FEW = 3
.PHONY: again
again: .venv/.stamp-dev ## Run the tests that failed once more, alone: up to three, which a busy machine may have made late
	@failed=$$($(BIN)/python -m json.tool .pytest_cache/v/cache/lastfailed | grep -c ': true'); \
	if ((failed > $(FEW))); then echo "$$failed tests failed, which is no accident of the machine." >&2; exit 1; fi; \
	echo "Once more, with nothing beside them:"; $(BIN)/python -m json.tool .pytest_cache/v/cache/lastfailed; \
	$(PYTEST) -m "not server and not browser" --last-failed --last-failed-no-failures none

DAEMONS = nginx squid apache2-utils dovecot-imapd mariadb-server openssh-server samba samba-vfs-modules \
krb5-kdc krb5-admin-server krb5-user faketime vsftpd
.PHONY: daemons
daemons:
	@if ! (PATH="$$PATH:/usr/sbin"; command -v nginx && command -v squid && command -v htpasswd && command -v dovecot && \
	command -v mariadbd && command -v sshd && command -v smbd && command -v krb5kdc && command -v vsftpd) >/dev/null; then apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(DAEMONS) || \
	echo "Not all of $(DAEMONS) could be installed here, so what needs them is skipped." >&2; fi

# Kerberos has no wheels: it takes a compiler and the headers, which are looked for by the library's own program.
.PHONY: kerberos
kerberos: .venv/.stamp-dev
	@command -v krb5-config >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc libc6-dev libkrb5-dev; } >/dev/null || true
	@$(BIN)/python -c 'import gssapi, krb5' 2>/dev/null || scripts/venv.sh kerberos || \
	echo "gssapi and krb5 could not be compiled here, so Kerberos is not tried." >&2

.PHONY: ftp
ftp: .venv/.stamp-dev
	@$(BIN)/python -c 'import pyftpdlib, OpenSSL' 2>/dev/null || scripts/venv.sh ftp || \
	echo "pyftpdlib could not be installed here, so vsftpd is the only FTP server that is tried." >&2

# What of them, and of the wiki, is not there; tests that need it are skipped and say so.
PROGRAMS = nginx squid htpasswd dovecot mariadbd sshd smbd krb5kdc vsftpd
WIKI = /usr/share/mediawiki/api.php
.PHONY: absent
absent:
	@PATH="$$PATH:/usr/sbin"; for program in $(PROGRAMS); do command -v "$$program" >/dev/null || printf '%s ' "$$program"; done; \
	[[ -e $(WIKI) ]] || printf mediawiki

# One file's tests stay together: they share a server.
REAL = $(PYTEST) -rs -n 2 --dist loadfile
.PHONY: servers
servers: .venv/.stamp-dev daemons kerberos ftp ## Run the quick tests against real servers (nginx, Dovecot, OpenSSH, Samba ...), installing these first where that is possible
	@$(REAL) -m "server and not long" --ignore tests/sources/mediawiki tests/sources
	@$(REAL) -m "not server" tests/sources/ftp tests/journeys/test_crawls_of_ftp.py

CRAWLS = tests/sources/mail tests/journeys/test_crawls_of_smb.py tests/journeys/test_crawls_of_table.py \
tests/journeys/test_crawls_of_mediawiki.py
.PHONY: servers-long
servers-long: .venv/.stamp-dev daemons wiki ## Run whole crawls of real servers, which take some minutes
	@$(REAL) -m "server and long" $(CRAWLS)

.PHONY: wiki
wiki:
	@if ! [[ -e $(WIKI) ]]; then \
	apt-get update -qq && apt-get install -y -qq --no-install-recommends mediawiki php-cli php-sqlite3 php-mbstring php-xml php-intl || \
	echo "mediawiki and php-cli could not be installed here, so what needs them is skipped." >&2; fi

.PHONY: mediawiki
mediawiki: .venv/.stamp-dev wiki ## Run the quick tests against a real MediaWiki, installing it first where that is possible
	@$(REAL) -m "server and not long" tests/sources/mediawiki

# What a node is made of comes from Maven Central, as its makers publish it; nothing of it is in the product.
JAVA = command -v javac >/dev/null && command -v mvn >/dev/null
ENGINE = build/opensearch
NO_ENGINE = No OpenSearch could be had here (it needs a JDK, Maven and Maven Central), so the receiver was not tried on one.

.PHONY: engine
engine:
	@if ! { $(JAVA); }; then \
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends default-jdk-headless maven; } >/dev/null || true; fi
	@if { $(JAVA); } && ! [[ $(ENGINE)/.fetched -nt tests/receivers/engine/pom.xml ]]; then rm -rf $(ENGINE); \
	mvn -q -B -f tests/receivers/engine/pom.xml dependency:copy-dependencies -DoutputDirectory=$(abspath $(ENGINE)) && \
	touch $(ENGINE)/.fetched || true; fi

.PHONY: opensearch
opensearch: .venv/.stamp-dev engine ## Try the receiver on a real OpenSearch in one JVM, fetching it first where that is possible
	@if [[ -e $(ENGINE)/.fetched ]]; then $(PYTEST) -m server -rs tests/receivers tests/journeys/test_opensearch.py; \
	else echo "$(NO_ENGINE)" >&2; fi

# A server of version 3 where it can be had, else the last of version 1, and the parsers of version 3 by themselves.
TIKA = build/tika
TIKA_SERVERS = tika-server-standard:3.2.3 tika-server:1.28.5
COPY = mvn -q -B dependency:copy-dependencies
NO_TIKA = No Tika could be had here (it needs a JDK, Maven and Maven Central), so documents were not tried on a real one.

.PHONY: tikaparts
tikaparts:
	@if ! { $(JAVA); }; then \
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends default-jdk-headless maven; } >/dev/null || true; fi
	@if { $(JAVA); } && ! [[ $(TIKA)/.fetched -nt tests/tika/server/pom.xml && $(TIKA)/.fetched -nt tests/tika/parsers/pom.xml ]]; then \
	rm -rf $(TIKA); for server in $(TIKA_SERVERS); do \
	$(COPY) -f tests/tika/server/pom.xml -Dserver=$${server%:*} -Dserver.version=$${server#*:} \
	-DoutputDirectory=$(abspath $(TIKA))/server >/dev/null && break || true; done; \
	$(COPY) -f tests/tika/parsers/pom.xml -DoutputDirectory=$(abspath $(TIKA))/parsers && touch $(TIKA)/.fetched || true; fi

.PHONY: tika
tika: .venv/.stamp-dev tikaparts ## Have real Tika servers read documents, fetching them first where that is possible
	@if [[ -e $(TIKA)/.fetched ]]; then $(PYTEST) -m server -rs tests/crawl/visit/test_tika_client.py tests/journeys/test_tika.py; \
	else echo "$(NO_TIKA)" >&2; fi

# The browser is the system's; npm brings what looks at pages (axe, html-validate), which run in the browser's driver.
BROWSER = command -v chromium >/dev/null && command -v npm >/dev/null
WITHOUT = chromium and npm could not be installed here, so no page is looked at in a browser.

.PHONY: browser
browser:
	@if ! { $(BROWSER); }; then \
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core \
	$$(command -v npm >/dev/null || echo npm); } >/dev/null || true; fi
	@if $(BROWSER); then $(MAKE) .venv/.stamp-pages; else echo "$(WITHOUT)" >&2; fi

PAGES ?= tests/pages
.PHONY: pages
pages: .venv/.stamp-dev browser ## Look at every page in a browser, installing that first where it is possible
	@if $(BROWSER); then rm -rf build/pages; $(PYTEST) -n $(PARALLEL) --dist loadfile $(PAGES); \
	echo "Pictures and weights of the pages are in build/pages"; fi

.PHONY: picture
picture: .venv/.stamp-dev browser ## Take the picture of the search page anew that README shows
	@if $(BROWSER); then $(BIN)/python -m tests.pages.picture; fi

.PHONY: suites
suites: .venv/.stamp-dev ## Run the suites of others in SUITES=folder, and write the page that tells how each went
	@rm -rf build/suites
	@CORMORANT_SUITES=$(abspath $(SUITES)) CORMORANT_SUITE_RECORDS=$(abspath build/suites) $(PYTEST) -m "not server" -n $(PARALLEL) \
	tests/model/test_address_suites.py tests/sources/web tests/extract tests/search/query/test_parser.py tests/journeys/test_maze.py
	@$(BIN)/python -m docs.suites build/suites

.PHONY: prove
prove: .venv/.stamp-dev browser daemons ## Run the long proofs: kills, accidents, edits, hostile servers, rights, faults planted; write their page (SHARD=1/3, AGAIN=--again)
	@$(MAKE) journeys pages
	@$(BIN)/python -m tests.journeys.prove --shard $(or $(SHARD),1/1) $(AGAIN)

.PHONY: check
check: .venv/.stamp-dev ## Check format, lint, types, architecture and house rules
	@echo "ruff format (make format mends it)"; $(BIN)/ruff format --check --quiet .
	@echo "ruff check";   $(BIN)/ruff check --quiet .
	@$(MAKE) --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) types house

# Each takes one core for most of a minute, so they run side by side.
.PHONY: types house
types: .venv/.stamp-dev
	@echo "mypy";         $(BIN)/mypy $(CODE)
	@echo "lint-imports"; $(BIN)/lint-imports --no-logo

house: .venv/.stamp-dev
	@echo "house";        $(PYTEST) -m "not server and not slow" tests/house

# The build back end came with setup.txt, so nothing is fetched; both are the same bytes wherever they are built.
.PHONY: dist
dist: .venv/.stamp-run ## Build dist/: the wheel, and the source archive that builds the same wheel
	@rm -rf dist
	@$(BIN)/python -m hatchling build --directory dist --target sdist --target wheel
	@ls -l dist

.PHONY: bench
bench: .venv/.stamp-bench .venv/.stamp-dev ## Measure speed on this machine, beside other crawlers
	@$(BIN)/python -m pytest -q bench/tests
	@$(BIN)/python -m bench

.PHONY: relevance
relevance: .venv/.stamp-bench ## See how well hits are ranked, by the collection in SUITES=folder and by manuals, and write the page
	@CORMORANT_SUITES=$(abspath $(SUITES)) $(BIN)/python -m bench.relevance

.PHONY: docs
docs: .venv/.stamp-docs ## Build the documentation as a site, into build/docs; a link that leads nowhere stops it
	@$(BIN)/python -m docs.site

.PHONY: format
format: .venv/.stamp-dev ## Bring the code into shape
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

# Each set is resolved within the one before it, so that they fit into one environment. UPGRADE=1 takes newer versions.
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --annotation-style line \
	--no-emit-index-url --custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)
WITHIN = $(patsubst %,--constraint requirements/%.txt,$(1)) --output-file

.PHONY: lock
lock: .venv/.stamp-run ## Resolve the dependencies anew (UPGRADE=1: to newer versions)
	@{ $(COMPILE) --group setup $(call WITHIN) requirements/setup.txt; \
	$(COMPILE) pyproject.toml $(call WITHIN,setup) requirements/run.txt; \
	$(COMPILE) pyproject.toml --extra mysql --extra postgres --extra sftp --extra smb --extra traces --group dev $(call WITHIN,setup run) requirements/dev.txt; \
	$(COMPILE) pyproject.toml --group bench $(call WITHIN,setup dev) requirements/bench.txt; \
	$(COMPILE) pyproject.toml --group docs $(call WITHIN,setup dev) requirements/docs.txt; \
	$(COMPILE) --group ftp $(call WITHIN,setup dev) requirements/ftp.txt; \
	$(COMPILE) --group kerberos $(call WITHIN,setup dev) requirements/kerberos.txt; \
	$(COMPILE) pyproject.toml --group pages $(call WITHIN,setup dev) requirements/pages.txt; \
	$(COMPILE) pyproject.toml --extra postgres $(call WITHIN,setup dev) requirements/postgres.txt; \
	$(COMPILE) pyproject.toml --extra traces $(call WITHIN,setup dev) requirements/traces.txt; } >/dev/null

.PHONY: clean
clean: ## Remove the environment, caches and build output; never a data folder
	@rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find src tests bench scripts -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
