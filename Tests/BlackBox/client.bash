# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For scripts that run the command line: $martlet is its path, $work the script's folder.
# What the last run left in $status is the script's to read, and functions are called by `check`.
# shellcheck disable=SC2034,SC2154,SC2317

# Exit status in $status, standard output in $work/out, standard error in $work/err.
run() {
    status=0
    timeout 20 "$martlet" "$@" >"$work/out" 2>"$work/err" || status=$?
}
gives() { # STATUS VERB…
    run "${@:2}"
    same "$1" "$status"
}
says() { # TEXT VERB…
    run "${@:2}"
    same "$1" "$(cat "$work/out")" && same 0 "$status"
}
complains() { # STATUS PATTERN VERB…: one line, that matches
    run "${@:3}"
    same "$1 1" "$status $(wc -l <"$work/err")" && grep -qE "^martlet: .*$2" "$work/err" && [ ! -s "$work/out" ]
}
json() { # EXPRESSION on x, the value that is printed by the last run
    python3 -c 'import json, sys; x = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$work/out" "$1"
}
on_terminal() { # COMMAND: what a terminal of 60 columns gets
    timeout 20 script -qefc "stty cols 60 2>/dev/null; $1" /dev/null </dev/null | tr -d '\r'
}
