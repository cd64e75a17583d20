#!/bin/sh
# deps.sh: the rooms may only know the rooms below them (ARCHITECTURE.md). Checked from the
# includes; also that no file name is used twice and that the rooms keep to their subject.
cd "$(dirname "$0")/.." || exit 1
status=0
complain() {
	echo "$*" >&2
	status=1
}

# room: the rooms it may include
allowed() {
	case $1 in
	base) echo "base" ;;
	symbols) echo "symbols base" ;;
	tracer) echo "tracer hook symbols base" ;;
	dlang) echo "dlang symbols base" ;;
	hook) echo "hook" ;;
	inject) echo "inject hook tracer symbols base" ;;
	command) echo "command providers inject tracer dlang symbols base" ;;
	providers) echo "providers inject tracer dlang symbols base" ;;
	esac
}

for room in base symbols tracer hook inject dlang providers command; do
	git ls-files -- "$room/*.[chS]" | while read -r file; do
		sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file" | while read -r inc; do
			case $inc in
			*/*) dir=${inc%%/*} ;;
			*) dir=$room ;;
			esac
			case " $(allowed "$room") " in
			*" $dir "*) ;;
			*) echo "$file includes $inc: $room may know only: $(allowed "$room")" ;;
			esac
		done
	done
done | {
	while read -r line; do complain "$line"; done
	exit $status
} || status=1

twice=$(git ls-files -- '*.c' '*.h' '*.def' 2>/dev/null | grep -v '^tests/\|^bench/' |
	sed 's|.*/||' | sort | uniq -d)
[ -z "$twice" ] || complain "file name used twice:" $twice

for file in $(git ls-files -- "dlang/*.[ch]"); do
	! grep -n 'sys/ptrace\.h\|sys/user\.h\|linux/perf_event\.h' "$file" /dev/null || complain "$file: dlang knows no ptrace and no perf"
done
exit $status
