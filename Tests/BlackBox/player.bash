# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For the black-box scripts: a bus of one's own, folders of one's own, and martletd on it.
# shellcheck source=Tests/Tools/checks.bash
. "$(dirname "${BASH_SOURCE[0]}")/../Tools/checks.bash"

# Run again under a private bus with empty folders; returns in the second run.
#
# Every file the run makes is in $work, which goes when the script ends.
on_a_private_bus() { # the script's own path and arguments
    if [ -n "${MARTLET_BLACK_BOX:-}" ]; then
        work=$MARTLET_BLACK_BOX
        return
    fi
    local folder status=0
    folder=$(mktemp -d)
    mkdir -p "$folder"/{home,config,data,state,cache,services} && mkdir -m 0700 "$folder/run"
    sed "s|@FOLDER@|$folder|g" >"$folder/bus.conf" <<'XML'
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=@FOLDER@/run</listen>
  <servicedir>@FOLDER@/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
XML
    env -u DISPLAY -u WAYLAND_DISPLAY -u DBUS_STARTER_ADDRESS HOME="$folder/home" XDG_CONFIG_HOME="$folder/config" \
        XDG_DATA_HOME="$folder/data" XDG_STATE_HOME="$folder/state" XDG_CACHE_HOME="$folder/cache" \
        XDG_RUNTIME_DIR="$folder/run" LC_ALL=C.UTF-8 MARTLET_BLACK_BOX="$folder" \
        dbus-run-session --config-file="$folder/bus.conf" -- "$@" || status=$?
    rm -rf "$folder"
    exit "$status"
}

owned() { busctl --user --no-pager call org.freedesktop.DBus / org.freedesktop.DBus NameHasOwner s "$1" | grep -qx 'b true'; }
unowned() { ! owned "$1"; }

# Starts martletd without sound; sets $player to its process id.
start_player() { # PROGRAM OPTION…
    local program=$1
    shift
    "$program" --sink null --no-session "$@" >"$work/player.out" 2>"$work/player.err" &
    player=$!
    within 10 owned org.martlet.Martlet
}

# Ends it; its exit status is in $ended. Not in a subshell, which cannot wait for its parent's child.
end_player() {
    ended=0
    kill "$player" 2>/dev/null || true
    # shellcheck disable=SC2034
    wait "$player" || ended=$?
}
