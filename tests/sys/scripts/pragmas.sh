# Options by pragmas, all that a script may reasonably set: sorting by key, downwards, and an argument that is missing.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
script pragmas -c "sh -c 'echo x; echo y'"
is "order" "$(echo "$out" | sed -n 's/ [0-9]*$//p' | grep -E 'first|second|third')" "c first
b second
a third"
is "writes" "$(cell c first)" "$(echo "$said" | grep -c '^[xy]$')"
is "no argument" "$(cell argument of)" 0
like "a command of the shell" "$out$said" "*shell 42*"
finish
