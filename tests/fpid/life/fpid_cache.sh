# What hooks take in the code of a file is kept in the user's cache: later runs count the same with it, without it
# (-x nocache), and when somebody has spoilt it; nothing is read that others may write.
. tests/lib/lib.sh
need sqlite3 dd

export XDG_CACHE_HOME="$TMP/cache"
SQL="create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)
	insert into t select i, i % 17 from n; select b, count(*) from t group by b limit 3;"
count() {
	"$DTRACE" "$@" -qn 'fpid$target:libsqlite3::entry, fpid$target:libsqlite3::return
		{ @[probefunc, probename] = count(); }' -c "sqlite3 :memory: '$SQL'"
}
kept() { ls "$XDG_CACHE_HOME/dtrace" 2>/dev/null | wc -l; }

is "without the cache nothing is kept" "$(count -x nocache >"$TMP/none" 2>&1; kept)" 0
is "functions are counted" "$(grep -c sqlite3VdbeExec "$TMP/none")" 2
count >"$TMP/first" 2>&1
is "the folder is the user's alone" "$(stat -c %a "$XDG_CACHE_HOME/dtrace")" 700
file=$(ls "$XDG_CACHE_HOME"/dtrace/plans-*)
is "so is the one file" "$(stat -c %a "$file")" 600
is "the run that keeps it counts the same" "$(cmp "$TMP/none" "$TMP/first" && echo yes)" yes

touch -d 2001-01-01 "$file"
count >"$TMP/second" 2>&1
is "it is used" "$(($(stat -c %X "$file") > 1000000000))" 1
is "and not written anew" "$(stat -c %Y "$file")" "$(date -d 2001-01-01 +%s)"
is "the run that uses it counts the same" "$(cmp "$TMP/none" "$TMP/second" && echo yes)" yes

touch -d 2001-01-01 "$file"
count -x nocache >"$TMP/off" 2>&1
is "with -x nocache it is not used" "$(stat -c %X "$file")" "$(date -d 2001-01-01 +%s)"
is "and the counts are the same" "$(cmp "$TMP/none" "$TMP/off" && echo yes)" yes

printf 'X' | dd of="$file" bs=1 seek=20000 conv=notrunc 2>/dev/null
count >"$TMP/spoilt" 2>&1
is "what is spoilt is found out anew" "$(cmp "$TMP/none" "$TMP/spoilt" && echo yes)" yes
is "and kept again" "$(head -c 20001 "$file" | tail -c 1 | grep -c X)" 0

chmod 777 "$XDG_CACHE_HOME/dtrace"
touch -d 2001-01-01 "$file"
count >"$TMP/open" 2>&1
is "a folder that others may write to is not used" "$(stat -c %X "$file")" "$(date -d 2001-01-01 +%s)"
is "and the counts are the same there" "$(cmp "$TMP/none" "$TMP/open" && echo yes)" yes
finish
