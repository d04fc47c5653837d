#compdef martletd
# SPDX-License-Identifier: Apache-2.0
# Completion of martletd for zsh; installed as _martletd.

_arguments -s -S \
    '(- *)'{-h,--help}'[show this help and leave]' \
    '(- *)'{-V,--version}'[show the version and leave]' \
    '--sink=[where the sound goes]:sink:(auto null pulsesink pipewiresink alsasink)' \
    '--log-level=[how much to tell]:level:(error warning notice info debug)' \
    '--config=[read this configuration instead of the user'\''s]:configuration:_files' \
    '(- *)--print-config[show the configuration in force and leave]' \
    '--no-session[neither restore the last session nor save this one]' \
    '--no-bus[play on without a session bus, and join one when it appears]' \
    '--instance[be a player of its own beside one that runs already]' \
    '--show[stay in front with one live line]' \
    '--demo[play the built-in demo album]' \
    '*:music:_files'
