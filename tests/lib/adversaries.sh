# adversaries.sh: programs that are hard to hook, and what they say of themselves; after lib.sh. Such a program
# prints "FUNCTION CALLS" (or "FUNCTION CALLS RETURNS", where those differ) for each function whose calls it
# knows, its own verdict, "right", in its last line, and ends with 0.
# shellcheck shell=sh

# What the probes do: count in the target; record each hit; record each with its stack.
adversary_kind() { # adversary_kind count|records|stacks
	kind=$1
	clause='@[probename, probefunc] = count();'
	options=
	case $kind in
	records) options="-x claim=off -x fpidfull=wait" clause="$clause @t = max(timestamp); @s[execname] = sum(arg0 & 1);" ;;
	stacks) options="-x claim=off -x fpidfull=wait -x aggsize=64m" clause="$clause @s[ustack()] = count();" ;;
	esac
}

# calls_of entry|return: what the program says, "FUNCTION CALLS", without zeros
calls_of() {
	awk -v name="$1" 'NF >= 2 && NF <= 3 && $2 ~ /^[0-9]+$/ {
		n = name == "return" && NF == 3 ? $3 : $2
		if (n > 0) print $1, n }' "$TMP/said" | sort
}

# hits_of entry|return: what was counted, and what is said to be lost, of the functions the program knows
hits_of() {
	sed -n "s/.*fpid[0-9]*:[^:]*:\([^:]*\):$1: \([0-9]*\) hits found the ring.*/$1 \1 \2/p" "$TMP/err" |
		cat "$TMP/agg" - | awk -v name="$1" 'FILENAME != "-" { known[$1]; next }
		NF == 3 && $1 == name && $2 in known { n[$2] += $3 } END { for (f in n) print f, n[f] }' "$TMP/said" - | sort
}

# adversary [-o OPTIONS] COMMAND...: every function, at entry, at return, at both
adversary() {
	more=
	[ "$1" != -o ] || {
		more=$2
		shift 2
	}
	for probes in entry return 'entry return'; do
		what="$kind of $probes: $*"
		rm -f "$TMP/agg"
		# shellcheck disable=SC2086
		d $options $more -n "$(printf ',fpid$target:::%s' $probes | cut -c2-) { $clause }" -o "$TMP/agg" -c "$*"
		cp "$TMP/out" "$TMP/said"
		ends 0 "$what"
		is "$what" "$(tail -1 "$TMP/said")" right
		like "$what" "$err" "*fpid: *[1-9]* hooked, *"
		case $err in *"pid "*exited* | *terminated*) fail "$what: $err" ;; esac
		for name in $probes; do
			calls_of $name >"$TMP/own"
			hits_of $name >"$TMP/ours"
			cmp -s "$TMP/own" "$TMP/ours" || fail "$what: $name: (< the program's, > ours)
$(diff "$TMP/own" "$TMP/ours")"
		done
	done
}

# builds NAME COMPILER ARGS...: $TMP/NAME by a compiler that may be missing
builds() {
	name=$1
	shift
	command -v "$1" >/dev/null 2>&1 || return 1
	"$@" -o "$TMP/$name" 2>"$TMP/cc" || {
		fail "$name does not compile: $(head -5 "$TMP/cc")"
		return 1
	}
}

# adversaries: all of them, in the kind that was chosen
adversaries() {
	for mode in jumps contexts tails blocked asm values sealed; do
		adversary "$TARGETS/adverse" $mode 100
	done
	# a stop at each return of a handler takes longer than it is to the next signal
	adversary -o '-x fpidfallback=none' "$TARGETS/adverse" signals 100
	adversary "$TARGETS/adverse" stacks 20
	adversary "$TARGETS/adverse" libc 3
	adversary "$TARGETS/edges" 20
	adversary "$TARGETS/fibers" 50
	adversary "$TARGETS/interpreter" 5000
	adversary "$TARGETS/transactions" 1000
	adversary "$TARGETS/cancels" 100
	cat >"$TMP/lib.c" <<'C'
static long base;
__attribute__((constructor)) void begin_library(void) { base = 4711; }
__attribute__((destructor)) void end_library(void) { base = 0; }
__attribute__((noinline)) long in_library(long x) { return x + base; }
C
	if builds lib.so gcc -O1 -shared -fPIC "$TMP/lib.c"; then
		export ADVERSE_LIBRARY="$TMP/lib.so"
		adversary "$TARGETS/adverse" reload 20
	fi
	builds unwinds g++ -O1 -pthread -w tests/targets/unwinds.cc && adversary "$TMP/unwinds" 5
	builds panics rustc -O tests/targets/panics.rs && adversary "$TMP/panics" 10
	builds tails clang -O2 -w tests/targets/interpreter.c && adversary "$TMP/tails" 5000
	return 0
}
