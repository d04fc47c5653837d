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
        # A script that dies leaves nothing running.
        trap 'jobs -p | xargs -r kill 2>/dev/null || true' EXIT
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

# MARK: What the tests ask

# shellcheck disable=SC2034
mpris=org.mpris.MediaPlayer2.martlet
at_mpris=(org.mpris.MediaPlayer2.martlet /org/mpris/MediaPlayer2)
at_martlet=(org.martlet.Martlet /org/martlet/Martlet)

# The value of a property as busctl writes it, type first.
playing_property() { busctl --user get-property "${at_mpris[@]}" org.mpris.MediaPlayer2.Player "$1"; }
martlet_property() { busctl --user get-property "${at_martlet[@]}" org.martlet.Player1 "$1"; }
property_is() { same "$2" "$(playing_property "$1")"; }
martlet_property_is() { same "$2" "$(martlet_property "$1")"; }
order() { busctl --user call "${at_mpris[@]}" org.mpris.MediaPlayer2.Player "$@"; }
url_is() { same "file://$1" "$(playerctl -p martlet metadata xesam:url)"; }
title_is() { same "$1" "$(playerctl -p martlet metadata xesam:title)"; }
alive() { kill -0 "$player"; }

# What the player does while nothing happens.
one_thread() { same 1 "$(find "/proc/$player/task" -mindepth 1 -maxdepth 1 | wc -l)"; }
wakes() { sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$player/status"; }
ticks() { awk '{ print $14 + $15 }' "/proc/$player/stat"; }
takes_no_time() { # of the processor, for two seconds
    local spent
    spent=$(ticks)
    read -rt 2 <> <(:) || true
    same "$spent" "$(ticks)"
}
quiet_for_three_seconds() {
    local woken spent
    woken=$(wakes) spent=$(ticks)
    read -rt 3 <> <(:) || true
    same "$woken wakes, $spent ticks" "$(wakes) wakes, $(ticks) ticks"
}

# The error a busctl command ends with: busctl tells its message alone, gdbus the name.
refused_with() { # ERROR gdbus-ARGUMENT…
    local error=$1 said
    shift
    if said=$(gdbus call --session --timeout 10 "$@" 2>&1); then echo "accepted: $said" && return 1; fi
    grep -qF "$error" <<<"$said" || { echo "$said" && return 1; }
}

# Text as busctl's argument of the type ay: how many, then each.
as_bytes() { # TEXT: sets $bytes, an array
    mapfile -t bytes < <(printf '%s' "$1" | od -An -v -tu1 -w1 | tr -d ' ')
    bytes=("${#bytes[@]}" "${bytes[@]}")
}

# OpenFiles with names that begin at a folder; answers what busctl writes.
open_files() { # MODE FOLDER NAME…
    local mode=$1 folder=$2 names=() name
    shift 2
    for name; do as_bytes "$name" && names+=("${bytes[@]}"); done
    as_bytes "$folder"
    busctl --user --timeout=20 call "${at_martlet[@]}" org.martlet.Player1 OpenFiles aayays $# "${names[@]}" "${bytes[@]}" "$mode"
}

# A FLAC file with a tone and a title; its name without the folder and the ending is the title.
tone() { # FILE SECONDS [HERTZ]
    local title=${1##*/}
    ffmpeg -nostdin -v error -y -f lavfi -i "sine=frequency=${3:-440}:duration=$2" -metadata title="${title%.*}" \
        -metadata artist="Kim & Søn" -metadata album="Nest" "$1"
}
