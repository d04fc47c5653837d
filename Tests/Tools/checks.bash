# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For the black-box scripts: `check "sentence" command…` runs one test, `finish` ends with the counts.
# A script that dies before `finish` has no last line, and the counter takes that for a failure.

passed=0
failed=0

# A sentence that can be false, and the command whose status decides.
check() {
    local sentence=$1 output
    shift
    if output=$("$@" 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'failed: %s\n' "$sentence"
        [ -z "$output" ] || head -n 20 <<<"$output" | sed 's/^/    /'
    fi
}

# True when the command fails.
fails() { ! "$@"; }

# The same text, or the difference and false.
same() { diff <(printf '%s\n' "$1") <(printf '%s\n' "$2"); }

# Waits for a command to become true, by looking up to 50 times a second; the first argument is the limit in seconds.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -le "$end" ] || { echo "not within the time: $*" && return 1; }
        read -rt 0.02 <> <(:) || true
    done
}

finish() {
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
    exit
}
