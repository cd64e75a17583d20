# lib.sh: what the shell tests share. A test runs in the top folder with DTRACE (the command),
# TARGETS (programs to be traced), TMP (its own scratch folder) and _DTRACE_TESTING set.
# shellcheck shell=sh

failed=0

skip() { # skip REASON
	echo "$*"
	exit 77
}

need() { # need PROGRAM...: skip without it
	for program; do
		command -v "$program" >/dev/null 2>&1 || skip "no $program"
	done
}

fail() { # fail TEXT...
	echo "$*"
	failed=1
}

# is WHAT GOT WANT: equal texts
is() {
	[ "$2" = "$3" ] || fail "$1:
  expected: $3
  got:      $2"
}

# like WHAT GOT PATTERN: a shell pattern
like() {
	# shellcheck disable=SC2254
	case $2 in
	$3) ;;
	*) fail "$1:
  expected like: $3
  got:           $2" ;;
	esac
}

# d ARGS...: runs the command; its streams are in $out and $err, its status in $status
d() {
	"$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
}

# ends STATUS WHAT: the last d ended so
ends() {
	[ "$status" = "$1" ] || fail "$2: status $status, expected $1
$err"
}

# counts FILE: "NAME N" lines of a default aggregation print or of a self-counting program, sorted
counts() {
	awk 'NF == 2 && $2 ~ /^[0-9]+$/ && $2 > 0 { print $1, $2 }' "$1" | sort
}

# forget_maps FILE: removes the perf maps of the processes whose ids stand in FILE
forget_maps() {
	while read -r pid; do
		rm -f "/tmp/perf-$pid.map"
	done <"$1"
}

# engine_of FRONT: the process id of the engine: the child that leads a process group. (The watchdog
# is in that group, and bears its name only a little later.) Nothing is printed before there is one. The kernel's list
# may leave out a child while another one ends: it is asked again for a while.
engine_of() {
	engine_tries=0
	while [ $engine_tries -lt 20 ]; do
		for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
			# shellcheck disable=SC2046
			set -- "$1" $(cat "/proc/$child/stat" 2>/dev/null)
			if [ "${6-}" = "$child" ]; then
				echo "$child"
				return
			fi
		done
		engine_tries=$((engine_tries + 1))
		[ -d "/proc/$1" ] || return 0
		sleep 0.01
	done
}

# until_gone PID: it has ended, reaped or not; at most 60 s
until_gone() {
	tries=0
	until ! state=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) || [ "${state%% *}" = Z ] || [ -z "$state" ]; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || return 1
		sleep 0.02
	done
}

# until_said FILE PATTERN FRONT: a line matches; false: the front has ended without it, or 60 s are over
until_said() {
	tries=0
	until grep -qs -- "$2" "$1"; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || return 1
		kill -0 "$3" 2>/dev/null || {
			grep -qs -- "$2" "$1" # it may have said it since, as its last word
			return
		}
		sleep 0.02
	done
}

# killed_round LANE ROUND front|engine|both: kill -9 of them while the target steady is hit 200
# times a second; leaves "ok" in $TMP/LANE.ROUND when the target came to its end unharmed
killed_round() {
	file=$TMP/$1.$2
	"$DTRACE" -qn 'pid$target:a.out:beat:entry { @ = count(); }
		pid$target:a.out:beat:entry /++n == 20/ { printf("now %d\n", pid); }' -x switchrate=100hz \
		-c "$TARGETS/steady 200 800" >"$file.out" 2>"$file.err" </dev/null &
	front=$!
	until_said "$file.out" '^now' $front
	case $3 in
	front) kill -9 $front ;;
	engine) kill -9 "$(engine_of $front)" ;;
	both) kill -9 $front "$(engine_of $front)" ;;
	esac 2>/dev/null
	wait $front 2>/dev/null
	# On a busy machine the run may have come to its end before: again.
	if [ $? != 137 ] && ! grep -q 'ended by SIGKILL' "$file.err"; then
		killed_round "$@"
		return
	fi
	until_gone "$(sed -n 's/^now //p' "$file.out")"
	if grep -q '^ok$' "$file.out"; then echo ok >"$file"; else cat "$file.err" "$file.out" >"$file"; fi
}

# killed_rounds LANES ROUNDS front|engine|both: ROUNDS in each of LANES at once; prints how many
# targets were unharmed
killed_rounds() {
	lane=0
	while [ $lane -lt "$1" ]; do
		lane=$((lane + 1))
		(
			round=0
			while [ $round -lt "$2" ]; do
				round=$((round + 1))
				killed_round $lane $round "$3"
			done
		) &
	done
	wait
	grep -lx ok "$TMP"/[0-9]*.*[0-9] | wc -l
}

# text PID FILE: its first executable mapping of FILE is what the file has there
text() {
	line=$(grep -m1 "r-xp.*$2" "/proc/$1/maps")
	start=${line%%-*}
	end=${line#*-}
	end=${end%% *}
	off=$(echo "$line" | cut -d' ' -f3)
	n=$(((0x$end - 0x$start) / 4096))
	dd if="/proc/$1/mem" bs=4096 skip=$((0x$start / 4096)) count=$n 2>/dev/null >"$TMP/now"
	dd if="$2" bs=4096 skip=$((0x$off / 4096)) count=$n 2>/dev/null >"$TMP/file"
	cmp -n "$(stat -c %s "$TMP/file")" "$TMP/now" "$TMP/file" && echo same
}

finish() {
	exit $failed
}
