#!/usr/bin/env bash
# Make .venv and install one of the locked sets of packages into it:
#
#     scripts/venv.sh run|dev|bench|docs|pages|kerberos|ftp
#
# Needs Python 3.11 or newer (PYTHON=... chooses one), no root, and no compiler but for kerberos. Prints one sentence when it cannot go on.
# The Makefile calls it when a lock is newer than what was installed from it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

group="${1:?which lock: run, dev, bench, docs, pages, kerberos or ftp}"
venv=.venv
locks=requirements
export PIP_DISABLE_PIP_VERSION_CHECK=1 UV_PYTHON_DOWNLOADS=never

say() { printf '%s\n' "$*" >&2; }
give_up() { say "$*"; exit 1; }

new_enough() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; }

find_python() {
    local candidate
    if [[ -n "${PYTHON:-}" ]]; then
        new_enough "$PYTHON" || give_up "PYTHON=$PYTHON is not a Python 3.11, 3.12, 3.13 or 3.14: name one of these."
        echo "$PYTHON"
        return
    fi
    for candidate in python3.11 python3.12 python3.13 python3.14 python3; do
        if new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    give_up "No Python 3.11 to 3.14 was found: install one (on Debian: apt-get install python3-venv), or name it with PYTHON=."
}

# Debian ships Python without ensurepip unless python3-venv is installed; then somebody else has to bring pip.
make_venv() {
    local python="$1"
    say "Making $venv with $("$python" --version)"
    rm -rf "$venv"
    if "$python" -c 'import ensurepip, venv' 2>/dev/null && "$python" -m venv "$venv" >/dev/null 2>&1; then return; fi
    rm -rf "$venv"
    if command -v uv >/dev/null && uv venv --quiet --seed --python "$python" "$venv"; then return; fi
    rm -rf "$venv"
    if "$python" -m virtualenv --version >/dev/null 2>&1 && "$python" -m virtualenv --quiet "$venv"; then return; fi
    if command -v virtualenv >/dev/null && virtualenv --quiet --python "$python" "$venv"; then return; fi
    # The system's own pip can install into an environment that has none.
    if "$python" -m pip --version >/dev/null 2>&1 && "$python" -m venv --without-pip "$venv"; then return; fi
    rm -rf "$venv"
    give_up "$python cannot make a virtual environment: install python3-venv (on Debian: apt-get install python3-venv), or uv."
}

pip() {
    if "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
        "$venv/bin/python" -m pip "$@"
    else
        "$base_python" -m pip --python "$venv/bin/python" "$@"
    fi
}

# uv takes seconds where pip takes a minute, but reads other settings for mirrors and proxies: pip is the second try.
install() {
    local wheels=(--only-binary :all:)
    if [[ "$1" == kerberos || "$1" == ftp ]]; then wheels=(); fi
    say "Installing $locks/$1.txt"
    if ! "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --compile-bytecode --require-hashes \
        "${wheels[@]}" --requirement "$locks/$1.txt"; then
        say "uv could not; trying pip"
        pip install --quiet --require-hashes "${wheels[@]}" --requirement "$locks/$1.txt"
    fi
}

base_python="$(find_python)"
if ! "$venv/bin/python" -c '' 2>/dev/null; then
    make_venv "$base_python"
elif [[ -n "${PYTHON:-}" ]] && [[ "$("$venv/bin/python" -V)" != "$("$base_python" -V)" ]]; then
    make_venv "$base_python"
fi

if [[ ! "$venv/.stamp-installer" -nt "$locks/setup.txt" ]]; then
    pip install --quiet --require-hashes --only-binary :all: --requirement "$locks/setup.txt"
    touch "$venv/.stamp-installer"
fi
install "$group"
if [[ "$group" == run ]]; then
    # The project itself, editable. Its build back end came with setup.txt, so nothing is fetched for it.
    "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --no-deps --no-build-isolation --offline --editable .
    # Where people forbid Python to write bytecode, every start would compile the whole product anew.
    "$venv/bin/python" -m compileall -q src || true
fi
if [[ "$group" == pages ]]; then
    # What looks at pages comes from npm. Its scripts are not run; a node of its own comes with the browser's driver.
    mkdir -p "$venv/pages"
    cp "$locks"/pages/package*.json "$venv/pages/"
    npm ci --prefix "$venv/pages" --ignore-scripts --no-audit --no-fund --loglevel=error >&2
fi
touch "$venv/.stamp-$group"
