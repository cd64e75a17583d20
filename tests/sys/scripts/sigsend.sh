# Signals by sender and receiver: args[1] and args[2] of signal-send.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script sigsend -c "$work"
is "ignored by what is traced" "$(cell discarded 10)" "$(said signals)"
is "sent of these" "$(cell perl '>' itself 10)" 0
printf '%s\ntrue\n' "$work" >"$TMP/sub.sh"
script sigsend -c "sh $TMP/sub.sh"
is "ignored by a child" "$(cell discarded 10)" "$(said signals)"
perl_program own <<'P'
my $n = 0;
$SIG{USR1} = sub { $n++ };
kill("USR1", $$) for 1 .. 5;
print "handled $n\n";
P
script sigsend -c "perl $TMP/own.pl"
is "to itself" "$(cell perl '>' itself 10)" "$(said handled)"
process_work
script sigsend -c "$work"
is "SIGTERM" "$(cell perl '>' perl 15)" 2
is "SIGUSR1" "$(cell perl '>' perl 10)" 1
finish
