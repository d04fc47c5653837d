#compdef martlet
# SPDX-License-Identifier: Apache-2.0
# Completion of martlet for zsh; installed as _martlet. The program itself says what may follow.

local -a offered
offered=("${(@f)$(martlet --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
if [[ "${offered[*]}" == files ]]; then
    _files
else
    compadd -a offered
fi
