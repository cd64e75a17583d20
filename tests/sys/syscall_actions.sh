# stop(), raise() and registers at a system call of a traced process.
# needs: user
. tests/lib/lib.sh

d -qn 'syscall::write:entry { printf("%d %d %d\n", arg0 == uregs[R_RDI], arg1 == uregs[R_RSI], arg2 == uregs[R_RDX]); }' -c "$TARGETS/t 1"
ends 0 registers
like "they are the arguments" "$out" "*1 1 1*"
d -wn 'syscall::write:entry { raise(10); }' -c "$TARGETS/t 1"
like "raise" "$err" "*terminated by SIGUSR1*"
d -wqn 'syscall::write:entry /!x/ { x = 1; stop(); system("kill -CONT %d", pid); } syscall::exit_group:entry { printf("went on\n"); }' -c "$TARGETS/t 1"
ends 0 stop
like "it goes on" "$out" "*went on*"
finish
