# SPDX-License-Identifier: Apache-2.0
# Completion of martlet for fish: the program itself says what may follow.
function __martlet_offered
    set -l words (commandline -opc) (commandline -ct)
    set -l offered (martlet --complete $words[2..-1] 2>/dev/null)
    if test "$offered" = files
        __fish_complete_path (commandline -ct)
    else
        string join \n $offered
    end
end
complete -c martlet -f -a '(__martlet_offered)'
