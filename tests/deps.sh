#!/bin/sh
# deps.sh [BUILD]: rooms know the rooms below them only (ARCHITECTURE.md), by their includes and, where BUILD (default:
# build) has objects, by their calls. Also: no file name is used twice, no room is crowded, no file is long, and rooms
# keep to their subject.
cd "$(dirname "$0")/.." || exit 1
build=${1-build}
status=0
complain() {
	echo "$*" >&2
	status=1
}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# room: the rooms it knows. (room): their headers only: of what is above it, the types.
cat >"$tmp/rooms" <<'END'
base:
base/json: base
base/cache: base
symbols/cfi: base
symbols/x86: base
symbols: symbols/cfi symbols/x86 base
symbols/dwarf: symbols symbols/cfi symbols/x86 base
tracer/procfs: base
tracer/journal: tracer/procfs base
tracer/x86: symbols/x86 base
tracer/preload: hook
tracer: tracer/journal tracer/procfs tracer/x86 tracer/preload symbols symbols/cfi symbols/x86 base
tracer/unwind: tracer tracer/procfs tracer/x86 symbols symbols/cfi symbols/x86 base
tracer/janitor: tracer tracer/unwind tracer/journal tracer/procfs tracer/x86 base
hook:
hook/app/dtrace:
hook/app: hook/app/dtrace
inject/x86: hook tracer/x86 symbols symbols/x86 base base/cache
inject: inject/x86 hook tracer tracer/unwind tracer/janitor tracer/journal tracer/procfs tracer/x86 symbols symbols/cfi symbols/x86 base
dlang: symbols symbols/dwarf base
dlang/osinfo: dlang base
dlang/run: dlang dlang/osinfo symbols/dwarf base
dlang/offload: dlang dlang/run symbols/dwarf base
dlang/print: base/json dlang dlang/run symbols symbols/dwarf base
dlang/parse: dlang dlang/run symbols/dwarf base
dlang/codegen: dlang dlang/parse dlang/run symbols/dwarf base
dlang/compile: dlang dlang/codegen dlang/parse dlang/run symbols/dwarf base
providers/perfdata: symbols base
providers/perfwrite: providers/perfdata symbols base
providers/world: dlang dlang/osinfo dlang/run tracer tracer/unwind tracer/procfs symbols symbols/cfi symbols/dwarf symbols/x86 base
providers/kernel/tracefs: symbols base
providers/rewrite: providers/perfdata providers/perfwrite providers/world dlang base
providers/kernel: providers/rewrite providers/kernel/tracefs providers/perfdata providers/perfwrite providers/world dlang dlang/osinfo dlang/run dlang/offload tracer tracer/janitor tracer/procfs symbols symbols/dwarf base
providers/kernel/bpf/fs: providers/kernel/bpf providers/kernel
providers/kernel/bpf: providers/kernel/bpf/fs providers/kernel
providers/kernel/kprog: providers/kernel providers/kernel/tracefs providers/world dlang dlang/osinfo dlang/run dlang/offload tracer/janitor symbols symbols/dwarf base
providers/pid: (providers) providers/world dlang dlang/run dlang/parse tracer tracer/unwind tracer/procfs symbols symbols/dwarf symbols/x86 base
providers/fpid: (providers) providers/pid providers/kernel providers/kernel/tracefs providers/world inject inject/x86 hook dlang dlang/osinfo dlang/run dlang/offload tracer symbols symbols/dwarf base base/cache
providers/system/tracepoints: providers/rewrite providers/kernel/kprog providers/kernel providers/kernel/tracefs providers/world dlang dlang/run dlang/offload tracer/procfs symbols/dwarf base
providers/system: (providers) providers/hits providers/system/tracepoints providers/fpid providers/pid providers/kernel/kprog providers/kernel providers/kernel/tracefs providers/world dlang dlang/osinfo dlang/run dlang/offload tracer tracer/unwind tracer/janitor tracer/procfs symbols symbols/dwarf base
providers/system/files: (providers) (providers/kernel/bpf) providers/system providers/kernel/kprog providers/kernel providers/kernel/tracefs providers/world dlang dlang/run dlang/offload tracer tracer/procfs tracer/janitor base
providers/hits: (providers) providers/rewrite providers/system/tracepoints providers/kernel providers/kernel/tracefs providers/perfdata providers/perfwrite providers/world dlang dlang/osinfo dlang/offload dlang/run symbols/dwarf base
providers/machine: (providers) providers/pid providers/kernel providers/kernel/tracefs providers/perfdata providers/world dlang dlang/run dlang/offload dlang/osinfo symbols symbols/dwarf tracer tracer/procfs base
providers/system/numbers: (providers) providers/system providers/system/tracepoints providers/kernel/kprog providers/kernel providers/kernel/tracefs providers/world dlang dlang/run symbols base
providers: providers/hits providers/system/numbers providers/machine providers/system/files providers/system providers/fpid providers/pid providers/kernel/kprog providers/kernel providers/kernel/tracefs providers/world dlang dlang/run tracer symbols symbols/dwarf base
command/merge: base/json dlang dlang/print dlang/run symbols symbols/dwarf base
command/report: base/json command/merge dlang dlang/print dlang/run symbols base
command/tool: base
command/serve: dlang base
command/live: command/report dlang dlang/print dlang/run base
command/recording: (command) providers/perfdata providers/perfwrite providers/kernel providers/kernel/tracefs providers/world dlang symbols base
command: providers/hits providers/rewrite command/merge command/report command/recording command/serve command/live command/tool providers providers/perfdata providers/perfwrite providers/system providers/pid providers/kernel/kprog providers/kernel providers/kernel/tracefs providers/world dlang dlang/compile dlang/codegen dlang/parse dlang/print dlang/run dlang/osinfo tracer tracer/janitor tracer/journal tracer/procfs symbols symbols/dwarf base
.: command command/report command/recording command/serve command/live providers dlang symbols base
END

# FROM-FILE TO-FILE how: each that leads to a room which the table does not allow
check() {
	awk -v table="$tmp/rooms" '
		function room(file) { return sub("/[^/]*$", "", file) ? file : "." }
		BEGIN {
			while ((getline line <table) > 0) {
				n = split(line, word, /:? +|:$/)
				known[word[1]]
				for (i = 2; i <= n; i++)
					if (word[i] != "")
						may[word[1], word[i]]
			}
		}
		{
			from = room($1); to = room($2)
			if (!(from in known))
				print $1 ": the room " from " is not in the table of tests/deps.sh"
			else if (from != to && !((from, to) in may) && !($3 == "includes" && (from, "(" to ")") in may))
				print $1 " " $3 " " $2 (NF > 3 ? ": " $4 : "") ": " from " may not know " to
		}' | sort -u
}

sources=$(find ./*.c $(sed -n 's|^\([a-z][a-z0-9]*\):.*|\1|p' "$tmp/rooms") -name '*.[chS]' -o -name '*.def' | sed 's|^\./||' | sort)
# shellcheck disable=SC2086
awk 'FNR == 1 { room = FILENAME; if (!sub("/[^/]*$", "", room)) room = "." }
	/^#include "/ { split($0, part, "\""); print FILENAME, (part[2] ~ "/" ? part[2] : room "/" part[2]), "includes" }' $sources |
	check >"$tmp/bad"

# Calls: who defines a symbol, and who leaves it to others. (The hook object and the preloaded library are linked alone.)
# shellcheck disable=SC2046
nm -A $(for source in $sources; do
	object=$build/${source%.*}.o
	case $source in *.h | *.def | *.bpf.c | hook/* | tracer/preload/preloadlib.c) ;; *) [ ! -e "$object" ] || echo "$object" ;; esac
done) /dev/null 2>/dev/null | sed "s|^$build/||; s|\.o:| |" | awk '
	NF == 4 && $3 ~ /[TDBRVW]/ { defined[$4] = $1 }
	NF == 3 && $2 == "U" { wanted[$1 " " $3] }
	END {
		for (w in wanted) {
			split(w, part, " ")
			if (part[2] in defined)
				print part[1], defined[part[2]], "calls", part[2]
		}
	}' | check >>"$tmp/bad"
[ ! -s "$tmp/bad" ] || complain "$(cat "$tmp/bad")"

twice=$(echo "$sources" | sed 's|.*/||' | sort | uniq -d)
[ -z "$twice" ] || complain "file name used twice:" $twice
for room in $(echo "$sources" | sed 's|/[^/]*$||' | sort -u); do
	n=$(echo "$sources" | grep -c "^$room/[^/]*\$")
	[ "$n" -le 45 ] || complain "$room: $n files, at most 45"
done
# shellcheck disable=SC2086
long=$(wc -l $sources | awk '$2 != "total" && $1 > 700 && $2 !~ /\.def$/ { print $2 " (" $1 ")" }')
[ -z "$long" ] || complain "files of more than 700 lines:" $long

for file in command/front.c command/recording/progress.c command/summary.c $(echo "$sources" | grep '^dlang/print/'); do
	! grep -n 'session_engine\.h\|session_priv\.h' "$file" /dev/null || complain "$file: the front does not know what only the engine has"
done
for file in $(echo "$sources" | grep '^dlang/'); do
	! grep -n 'sys/ptrace\.h\|sys/user\.h\|linux/perf_event\.h' "$file" /dev/null || complain "$file: dlang knows no ptrace and no perf"
done
exit $status
