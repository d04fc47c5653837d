# SPDX-License-Identifier: Apache-2.0
# Completion of martlet for bash: the program itself says what may follow.
_martlet() {
    local word=${COMP_WORDS[COMP_CWORD]} offered
    mapfile -t offered < <(martlet --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ ${offered[*]} == files ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    else
        COMPREPLY=("${offered[@]}")
    fi
}
complete -F _martlet martlet
