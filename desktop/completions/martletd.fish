# SPDX-License-Identifier: Apache-2.0
# Completion of martletd for fish.
complete -c martletd -s h -l help -d 'Show this help and leave'
complete -c martletd -s V -l version -d 'Show the version and leave'
complete -c martletd -l sink -x -a 'auto null pulsesink pipewiresink alsasink' -d 'Where the sound goes'
complete -c martletd -l log-level -x -a 'error warning notice info debug' -d 'How much to tell'
complete -c martletd -l config -r -F -d 'Read this configuration'
complete -c martletd -l print-config -d 'Show the configuration in force and leave'
complete -c martletd -l no-session -d 'Neither restore the last session nor save this one'
complete -c martletd -l no-bus -d 'Play on without a session bus'
complete -c martletd -l instance -d 'Be a player of its own'
complete -c martletd -l show -d 'Stay in front with one live line'
complete -c martletd -l demo -d 'Play the built-in demo album'
