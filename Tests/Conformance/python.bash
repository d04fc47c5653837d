# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by the scripts that measure: the Python they need in .build/venv, the music in .build/fixtures.
# Sets `python`, and MARTLET_CMD, MPRIS_FIXTURES and the search path of the shared modules.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
python=$root/.build/venv/bin/python
export MPRIS_FIXTURES=${MPRIS_FIXTURES:-$root/.build/fixtures}
if [ -z "${MARTLET_CMD:-}" ]; then
    [ -x "$root/.build/release/martletd" ] || { echo "There is no release build yet: make build" >&2 && exit 1; }
    export MARTLET_CMD="'$root/.build/release/martletd' {files}"
fi
export PYTHONPATH=$root/Tests/Conformance PYTHONDONTWRITEBYTECODE=1

# Nobody's desktop: whatever is started here is started on a bus of its own.
unset DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY

needed() { # COMMAND…: every one, or say what is missing
    local missing=() command
    for command in "$@"; do command -v "$command" >/dev/null || missing+=("$command"); done
    [ ${#missing[@]} -eq 0 ] || {
        echo "not installed: ${missing[*]}; \`make deps\` installs what testing needs" >&2
        exit 1
    }
}

prepare_python() {
    needed python3 dbus-daemon pulseaudio parec playerctl ffmpeg lame oggenc opusenc
    # Whole or not at all: a folder half filled by an interrupted pip would be taken for ready.
    if ! "$python" -c 'import dbus_fast, numpy, mutagen' 2>/dev/null; then
        rm -rf "$root/.build/venv"
        mkdir -p "$root/.build"
        python3 -m venv "$root/.build/venv"
        "$python" -m pip install --quiet --disable-pip-version-check dbus-fast numpy mutagen
    fi
    "$python" "$root/Tests/Conformance/fixtures.py" >/dev/null
}
