# SPDX-License-Identifier: Apache-2.0
# Completion of martletd for bash.
_martletd() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    case $before in
        --sink) mapfile -t COMPREPLY < <(compgen -W 'auto null' -- "$word") ;;
        --log-level) mapfile -t COMPREPLY < <(compgen -W 'error warning notice info debug' -- "$word") ;;
        --config) compopt -o default; COMPREPLY=() ;;
        *)
            if [[ $word == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W '--help --version --sink --log-level --config --print-config
                    --no-session --no-bus --instance --show --demo' -- "$word")
            else
                compopt -o default
                COMPREPLY=()
            fi
            ;;
    esac
}
complete -F _martletd martletd
