# SPDX-License-Identifier: Apache-2.0
# Completion of martletd for bash.
_martletd() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    # `--name=value` arrives in three words.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $before in
        --sink)
            mapfile -t COMPREPLY < <(compgen -W 'auto null pulsesink pipewiresink alsasink' -- "$word")
            return
            ;;
        --log-level)
            mapfile -t COMPREPLY < <(compgen -W 'error warning notice info debug' -- "$word")
            return
            ;;
        --config)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--help --version --sink --log-level --config --print-config
            --no-session --no-bus --instance --show --demo' -- "$word")
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -F _martletd martletd
