# Failed execs: args[0] of exec kept until exec-failure tells why.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
process_work
script execfails -c "$work"
is "not there" "$(cell /nonexistent/program: not there)" "$(said failures)"
is "no program" "$(cell /dev/null: not a program)" "$(said failures)"
finish
