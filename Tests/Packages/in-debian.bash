# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs in the Debian that Tests/Packages/debian made: the package, from the first installation to its last trace.
# Commands for `eval` stand in single quotes, and functions are called by `check`.
# shellcheck disable=SC2016,SC2034
set -euo pipefail
# shellcheck source=Tests/Tools/checks.bash
. /test/checks.bash

# What a package may leave something in; the records of dpkg and apt, and a home, are not its own.
everything() {
    find / -xdev \( -path /proc -o -path /home -o -path /tmp -o -path /run -o -path /test -o -path /var/lib/dpkg \
        -o -path /var/lib/apt -o -path /var/cache -o -path /var/log \) -prune -o -print | LC_ALL=C sort
}
apt() { apt-get -y -qq --no-install-recommends "$@" >/test/apt.log 2>&1 || { cat /test/apt.log && return 1; }; }

useradd --create-home --uid 1000 listener
mkdir -p /run/user/1000 /home/listener/.config/martlet
printf '[output]\nsink=null\n' >/home/listener/.config/martlet/martlet.conf
chown -R listener: /home/listener /run/user/1000
chmod 0700 /run/user/1000
listener() {
    setpriv --reuid=1000 --regid=1000 --clear-groups env -i PATH=/usr/bin:/bin HOME=/home/listener LC_ALL=C.UTF-8 \
        XDG_RUNTIME_DIR=/run/user/1000 DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus "$@"
}
call() { # DESTINATION PATH INTERFACE.MEMBER ARGUMENT…
    listener dbus-send --session --print-reply=literal --reply-timeout=15000 --type=method_call --dest="$1" "${@:2}"
}
owned() { call org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:"$1" | grep -q true; }
process() { call org.freedesktop.DBus / org.freedesktop.DBus.GetConnectionUnixProcessID string:org.martlet.Martlet | awk '{ print $2 }'; }
told() { listener martlet status --format "$1"; }
tells() { same "$2" "$(told "$1")"; }
queue() { listener martlet queue --format '{entry} {title}'; }

before=$(everything)

# MARK: Installation

check "it installs" apt install /test/older.deb
check "without a package for development" eval '! dpkg-query -W -f "\${Package}\n" | grep -e "-dev$"'
links() { for program in /usr/bin/martlet /usr/bin/martletd; do ldd "$program" | grep 'not found' && return 1; done || true; }
check "every library is there" links
check "the unit is enabled for everyone" \
    same /usr/lib/systemd/user/martlet.service "$(readlink -f /etc/systemd/user/default.target.wants/martlet.service)"
check "and systemd finds no fault in it" eval \
    'same "" "$(XDG_RUNTIME_DIR=/run/user/1000 systemd-analyze --user verify --man=no /usr/lib/systemd/user/martlet.service 2>&1 | grep -F martlet.service)"'
check "where there is no systemd the session starts it" grep -qx 'Exec=/usr/bin/martletd' /etc/xdg/autostart/martlet.desktop

# MARK: A session

listener dbus-daemon --session --fork --nopidfile --address=unix:path=/run/user/1000/bus
check "a call activates it" grep -q '[0-9]\.[0-9]' <<<"$(call org.martlet.Martlet /org/martlet/Martlet \
    org.freedesktop.DBus.Properties.Get string:org.martlet.Player1 string:Version)"
check "under its other name, too" owned org.mpris.MediaPlayer2.martlet
check "the listener's own, from where it was installed" eval \
    'same "/usr/bin/martletd 1000" "$(readlink "/proc/$(process)/exe") $(stat -c %u "/proc/$(process)")"'
check "it takes files" listener martlet play /music/Short.flac /music/One.flac /music/Two.flac
check "and plays" within 15 tells '{state} {title}' 'playing Short'
moves() { awk -v position="$(told '{position}')" 'BEGIN { exit !(position > 1) }'; }
check "and its clock runs" within 10 moves

# MARK: An upgrade under way

older=$(stat -L -c %i "/proc/$(process)/exe" || true) known=$(queue || true)
check "a newer one installs over the one that plays" apt install /test/newer.deb
check "which plays its track on" eval \
    'tells "{state} {title}" "playing Short" && same "$older" "$(stat -L -c %i "/proc/$(process)/exe")"'
is_newer() { same "$(stat -c %i /usr/bin/martletd)" "$(stat -L -c %i "/proc/$(process)/exe")"; }
check "and then is the newer one" within 40 is_newer
check "with the next track, playing" within 10 tells '{state} {title}' 'playing One'
check "and the same queue, entry by entry" same "$known" "$(queue)"

# MARK: The end

last=$(process || true)
check "it quits" listener martlet quit
check "and gives its names back" within 5 eval '! owned org.martlet.Martlet && ! owned org.mpris.MediaPlayer2.martlet'
check "and is gone" within 5 test ! -e "/proc/$last"
check "it can be removed" apt remove martlet
check "and its programs with it, the configuration not" test ! -e /usr/bin/martletd -a ! -e /usr/bin/martlet -a -e /etc/xdg/autostart/martlet.desktop
check "it can be purged" apt purge martlet
check "and leaves nothing" same "$before" "$(everything)"
check "but what is the listener's" test -s /home/listener/.local/state/martlet/session.db
finish
