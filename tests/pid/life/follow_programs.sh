# -x follow on shells, pipelines, make and python: output and exit status as untraced, every program seen.
# needs: user
. tests/lib/lib.sh

# same WHAT COMMAND: every function of the C library that shells and tools call often is probed
same() {
	sh -c "$2" >"$TMP/plain" 2>"$TMP/plain.err"
	rm -f "$TMP/agg"
	"$DTRACE" -x follow -qn 'pid$target:libc.so.6:malloc:entry,pid$target:libc.so.6:malloc:return,
		pid$target:libc.so.6:read:,pid$target:libc.so.6:sig*:entry,
		pid$target:libc.so.6:execve:entry { @[execname] = count(); }
		END { printa("%s %@d\n", @); }' -o "$TMP/agg" -c "sh -c '$2'" \
		>"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	ends 0 "$1"
	is "$1: output" "$(cat "$TMP/out")" "$(cat "$TMP/plain")"
	is "$1: messages" "$(cat "$TMP/err")" "$(cat "$TMP/plain.err")"
}

# seen WHAT PROGRAM...: they have fired
seen() {
	what=$1
	shift
	for program; do
		grep -q "^$program " "$TMP/agg" || fail "$what: nothing of $program: $(cat "$TMP/agg")"
	done
}

need bash seq sort make
same "a pipeline" 'seq 200 | sort -r | tr "\n" . | wc -c; exit 3'
seen "a pipeline" seq sort tr wc
same "bash" 'bash -c "for i in 1 2 3 4 5; do (echo \$i | cat | cat) & wait; done; echo \$(seq 3)"'
seen "bash" bash cat seq

mkdir "$TMP/work"
printf 'all: %s\no%%:\n\t@seq 100 | sort -n >$@; test -s $@\n' "o1 o2 o3 o4 o5 o6 o7 o8" >"$TMP/work/Makefile"
same "make -j2" "rm -f $TMP/work/o*; make -s -C $TMP/work -j2"
is "make -j2: results" "$(cat "$TMP"/work/o* | wc -l)" 800
seen "make -j2" make sort seq

# Many programs start at once, every function of theirs is probed: none is touched before it is ready.
d -x follow -qn 'pid$target:::entry { @ = count(); }' -o "$TMP/all" \
	-c "bash -c 'for i in 1 2 3 4 5 6 7 8; do (/bin/echo \$i | cat) & done; wait'"
ends 0 "many programs"
is "many programs: output" "$(sort "$TMP/out")" "$(seq 8)"
is "many programs: messages" "$err" ""

python=/usr/bin/python3
if [ -x $python ]; then
	cat >"$TMP/p.py" <<'EOF'
import os, subprocess
for i in range(5):
    print(subprocess.run(["cat"], input=b"x%d" % i, capture_output=True).stdout)
pid = os.fork()
if pid == 0:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
EOF
	same python "$python -S $TMP/p.py"
	seen python python3 cat
fi
finish
