# Options for those who look into the command itself: debug, tree, ctypes, dtypes, core.
. tests/lib/lib.sh

d -x debug -qn 'BEGIN { exit(0); }'
ends 0 debug
like "debug" "$err" "dtrace: DEBUG *: compiling BEGIN { exit(0); }*"
is "debug: the output" "$out" ""

d -x tree=1 -qn 'BEGIN /pid/ { x = 1 + pid; exit(0); }'
ends 0 tree
is "tree=1" "$err" "Parse tree (Pass 1):
CLAUSE
  IDENT pid
  descriptions:
    PDESC BEGIN
  body:
    D EXPRESSION
      OP2 =
        IDENT x
        OP2 +
          INT 0x1 (int)
          IDENT pid
    D EXPRESSION
      FUNC
        IDENT exit
        args:
          INT 0x0 (int)"
d -x tree=2 -qn 'BEGIN { x = 1 + pid; }
	BEGIN { exit(0); }'
like "tree=2" "$err" "Parse tree (Pass 2):
OP2 = (int)
  VARIABLE x (int)
  OP2 + (*)
    INT 0x1 (int)
    VARIABLE pid (pid_t)*"

d -qn 'struct s { int a; char b[4]; }; typedef struct s s_t; BEGIN { exit(0); }' \
	-x ctypes="$TMP/c" -x dtypes="$TMP/d"
ends 0 "types"
grep -qx "int 4" "$TMP/c" || fail "ctypes: $(cat "$TMP/c")"
is "dtypes" "$(grep -A2 "^struct s " "$TMP/d")" "struct s 8
	0 int a
	4 char [4] b"
grep -qx "s_t 8 = struct s" "$TMP/d" || fail "dtypes: $(cat "$TMP/d")"
d -qn 'BEGIN { exit(0); }' -x ctypes=/nosuch/file
ends 1 "ctypes that cannot be written"
is "ctypes that cannot be written" "$err" "dtrace: failed to write types to /nosuch/file: No such file or directory"

(cd "$TMP" && ulimit -c 0 && case $DTRACE in /*) ;; *) DTRACE=$OLDPWD/$DTRACE ;; esac &&
	"$DTRACE" -x core -n 'BEGIN {' 2>"$TMP/err") 2>/dev/null
is "core: ended by SIGABRT" $? 134
is "core: after the message" "$(cat "$TMP/err")" "dtrace: invalid probe specifier BEGIN {: syntax error near end of input"

# One CPU: what happens elsewhere is not traced; BEGIN, tick and END happen there.
d -x cpu=0 -qn 'BEGIN { trace(cpu); } tick-10ms { trace(cpu); exit(0); } END { trace(cpu); }'
ends 0 "cpu"
is "cpu" "$out" "000"

d -x tregs=2 -qn 'BEGIN { a[1, 2] = 1; exit(0); }'
ends 0 "two keys"
d -x tregs=2 -qn 'BEGIN { a[1, 2, 3] = 1; exit(0); }'
ends 1 "three keys"
like "three keys" "$err" "*: Insufficient tuple registers to generate code"
d -Vv
is "-Vv" "$out" "dtrace: Oracle D 2.0
This is DTrace 2.0
dtrace(1) version-control ID: none
libdtrace version-control ID: none"
finish
