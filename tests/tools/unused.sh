#!/bin/sh
# unused.sh: what a file of the product makes known to others, somebody else asks for: one of its own
# files, or a test. What only tables name (compile_printf, subr_rand) is made known by them.
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
# not those of sources that are gone, nor of other builds in there
objects=$(git ls-files -- '*.c' '*.S' | while read -r source; do
	object=$build/${source%.*}.o
	[ ! -e "$object" ] || echo "$object"
done)
[ -n "$objects" ] || { echo "no objects in $build: make all tests" >&2; exit 1; }
# shellcheck disable=SC2086
unused=$(nm -A $objects 2>/dev/null | awk '
	{ sub(/:[0-9a-f ]*/, " ") }
	$2 == "U" { asked[$3] = 1 }
	$2 ~ /^[TDBR]$/ && $1 !~ /\/tests\// { made[$3] = $1 }
	END { for (name in made) if (!(name in asked)) print name, made[name] }' |
	grep -v '^main \|^compile_\|^subr_\|^LLVMFuzzer' | sort)
[ -z "$unused" ] || { echo "known to others, and nobody asks:" >&2; echo "$unused" >&2; exit 1; }
