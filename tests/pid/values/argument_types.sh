# -lv shows the types of args[] of a function with debug information.
# needs: user
. tests/lib/lib.sh

types_of() { # types_of FUNCTION:NAME
	d -lvn "pid\$target:a.out:$1" -c "$TARGETS/types"
	ends 0 "$1"
	printf '%s\n' "$out" | sed -n '/Argument Types/,/^$/p' | sed '1d;/^$/d;s/^\t\t//'
}

names_of() { # names_of FUNCTION:NAME
	d -lvn "pid\$target:a.out:$1" -c "$TARGETS/types"
	printf '%s\n' "$out" | sed -n '/Argument Names/,/^$/p' | sed '1d;/^$/d;s/^\t\t//' | tr '\n' ' '
}

is "find:entry" "$(types_of find:entry)" "args[0]: userland struct node *
args[1]: userland const char *
args[2]: enum color"
is "find:return" "$(types_of find:return)" "args[0]: uint64_t
args[1]: userland struct node *"
is "narrow:entry" "$(types_of narrow:entry)" "args[0]: signed char
args[1]: unsigned short
args[2]: _Bool
args[3]: id32_t"
is "scale:entry" "$(types_of scale:entry)" "args[0]: double
args[1]: int
args[2]: float
args[3]: long"
is "combine:entry" "$(types_of combine:entry)" "args[0]: struct mixed
args[1]: point_t"
is "names" "$(names_of find:entry)" "args[0]: list args[1]: name args[2]: color "
is "what is returned has no name" "$(names_of find:return)" ""
is "nothing:entry" "$(types_of nothing:entry)" "None"
is "an offset" "$(types_of nothing:0)" "None"

d -lvn 'pid$target:a.out:find:entry' -c "$TARGETS/types-nodebug"
like "without debug information" "$out" "*Argument Types*None*"
d -qn 'pid$target:a.out:find:entry { trace(args[0]); }' -c "$TARGETS/types-nodebug"
ends 1 "args[0] without debug information"
like "says why" "$err" "*index 0 is out of range for *: find of types-nodebug has no debug information"
finish
