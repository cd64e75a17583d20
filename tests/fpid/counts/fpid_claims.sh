# Clauses that the target runs itself: the same script with claim=off gives the same answers, in several
# threads; nothing is ever lost, however little memory there is for records.
# needs: user
# timeout: 240
. tests/lib/lib.sh
. tests/lib/claimed.sh

leaf='fpid$target:a.out:leaf:entry'
leave='fpid$target:a.out:leaf:return'
for agg in 'count()' 'sum(arg0)' 'avg(arg0 - 50)' 'min(5 - arg0)' 'max(arg0 ^ 3)' 'stddev(arg0 * 1000000000)' \
	'quantize(arg0 - 7)' 'lquantize(arg0, 10, 90, 7)' 'lquantize(-arg0, -50, 50)' 'llquantize(arg0 - 40, 10, 0, 3, 20)'; do
	claim "$leaf { @ = $agg; }"
	claim "$leaf /arg0 % 3 != 0 && arg0 > 4/ { @[arg0 % 5, probefunc, \"x\"] = $agg; }"
done
claimed "$leaf, $leave"' { @[execname, probename, uid, gid] = count(); @s[execname, arg0 & 3] = sum(1); }'
d -x fpidbuf=4k -qn 'fpid$target:a.out:leaf:entry { @[execname] = count(); }' -c "$TARGETS/t 30000 1 quiet"
is "execname" "$(echo $out)" "t 33000"
claimed "$leaf, $leave"' { @[probename, ucaller & 0xfff, caller == ucaller] = sum(arg0); }'
claimed "$leave { @[arg0, arg1 & 3, tid == pid, arg7] = count(); @s[probename] = sum(arg1); }"
claimed "$leaf { @[arg0] = count(); @q[arg0 >> 4] = quantize(arg0); } $leave { @r[arg1] = count(); }"
claimed 'fpid$target:a.out:six:entry { @[arg1, arg2, arg3, arg4] = sum(arg5); @o[arg6 & 3, arg7 == arg7, arg6 > 100] = sum(arg6); @n[arg0 / 7 * 2, (int)arg0 % 5, (char)(arg0 + 200)] = count(); }'
claimed 'fpid$target:a.out:six:entry { @[(unsigned)arg0 / 3, (uint64_t)-arg0 / 5, (int64_t)-arg0 / 5] = count(); }'
claimed "$leaf /(arg0 < 10 || arg0 >= 40) && !(arg0 == 50)/ { @ = sum(arg0 > 45 ? -arg0 : arg0 << 2); @c[~arg0 & 6 | 1] = count(); }"
claimed 'fpid$target:a.out:six:entry { @[arg0 & 3, arg1 & 1, arg2, arg3 & 7, arg4, arg5 & 3, tid == pid] = sum(arg6); }'
claimed "$leaf"' { @[htons(arg0), htonl(arg0), ntohll(arg0), getmajor(arg0 << 18)] = count(); @n[getminor(arg0 << 14), ntohs(arg0 << 4), ntohl(arg0 * 7), htonll(-arg0)] = sum(htonl(arg0)); @i[lltostr(htons(arg0))] = count(); }'

# chance: each hit has a number of its own, which is the same wherever it is looked at
claimed "$leaf"' { this->r = rand(); @["int"] = sum(this->r == (int)this->r && this->r == this->r); @a[rand() == rand()] = sum(1); }'
claimed "$leaf"' /(rand() & 1) <= 1/ { @ = count(); }'
claimed "$leaf"' { self->r = rand(); } '"$leave"' { this->r = self->r; @[this->r == self->r] = count(); }'
d -x fpidbuf=4k -qn "$leaf"' /rand() % 16 == 0/ { @ = count(); } '"$leaf"' { @all = count(); this->r = rand(); @b[this->r & 1] = count(); }' -c "$TARGETS/t 60000 1 quiet"
ends 0 "chance"
is "chance" "$(echo "$out" | awk 'NF == 1 && !few { few = $1 } NF == 1 { all = $1 } NF == 2 { n++; low = !low || $2 < low ? $2 : low }
	END { print (few > all / 20 && few < all / 13), (n == 2 && low > all * 0.45), all }')" "1 1 66000"
d -qn "$leaf"' /rand() & 1/ { self->n++; printf("r\n"); } '"$leaf"' { @ = count(); } END { printf("\n"); }' -c "$TARGETS/t 3000 1 quiet"
n=$(echo "$out" | grep -c r)
[ "$n" -gt 1400 ] && [ "$n" -lt 1900 ] || fail "a random predicate of a record: $n of 3300"
d -qn "$leaf"' { self->r = rand(); printf("%d %d\n", self->r, self->r); } '"$leave"' /self->r/ { printf("%d\n", self->r); self->r = 0; }' -x fpidfull=wait -c "$TARGETS/t 300 1 quiet"
is "a random number that is kept" "$(echo "$out" | awk 'NF == 2 { one = $1; bad += $1 != $2 } NF == 1 { bad += $1 != one; n++ } END { print bad + 0, n }')" "0 330"

# variables of the thread, of each size, and of the clause; several clauses of one probe
claimed 'self int depth; fpid$target:a.out::entry { self->depth = self->depth + 1; }
	fpid$target:a.out:recurse:entry { this->d = self->depth; @[probefunc, this->d] = count(); }
	fpid$target:a.out::return { self->depth = self->depth - 1; }'
claimed 'self char c; self unsigned short s; '"$leaf"' { self->c = arg0; self->s = -arg0; } '"$leave"' /self->c > 0/ { @ = sum(self->c); @s = max(self->s); self->c = 0; }'
claimed "$leaf { self->in = 1; this->x = arg0 * 2; } $leaf /this->x > 20/ { @[this->x % 7] = sum(this->x); } $leave /self->in/ { self->in = 0; @r = count(); }"
# the same variable in a clause that no hook can run: none of them is claimed, and all is right
d -qn "$leaf"' { self->in = 1; } '"$leave"' /self->in/ { self->in = 0; @ = count(); } pid$target:a.out:leaf:entry { self->in = 0; }' \
	-c "$TARGETS/t 100 1 quiet"
ends 0 "a variable that others use"

# what a breakpoint has to do works with the variables in the target
claimed 'fpid$target:a.out:cramped:entry { self->n = arg0 + 1; @e = count(); }
	fpid$target:a.out:cramped:return /self->n/ { @[self->n, arg1] = count(); self->n = 0; }' "$TARGETS/cramped 300 3"
d -n 'fpid$target:a.out:cramped:entry, fpid$target:a.out:cramped:return { @[probename] = count(); }' -c "$TARGETS/cramped 300 3"
ends 0 "a function of both kinds"
is "a function of both kinds" "$(echo $out)" "entry 900 return 900"
like "a function of both kinds" "$err" "*fpid: 1 function: 0 hooked, 1 by breakpoint; the first: cramped: a return has no room for a jump*"
claimed 'self long n; fpid$target:a.out:recurse:entry { self->n = self->n + arg0; } fpid$target:a.out:recurse:return { @[self->n] = count(); }
	fpid$target:a.out:work:return { self->n = 0; }'

# time from entry to return: each once, none negative, and as long as the program took at most
d -x fpidbuf=4k -qn "$leaf { self->ts = timestamp; } $leave"' /self->ts/ { @n = count(); @low = min(timestamp - self->ts); @high = max(timestamp - self->ts); self->ts = 0; }
	END { printa("n %@d\n", @n); printa("low %@d\n", @low); printa("high %@d\n", @high); }' -c "$TARGETS/t 200000 4 quiet"
ends 0 "times"
echo "$out" | awk '$1 == "n" && $2 != 880000 { exit 1 } $1 == "low" && $2 < 0 { exit 1 } $1 == "high" && $2 > 60000000000 { exit 1 }' ||
	fail "times: $out"

# while it runs: what was cleared does not come again, what was cut off neither
d -qn "$leaf { @ = sum(1); @m = max(arg0); } "'tick-20ms { clear(@); trunc(@m); n++; } END { printa("%@d\n", @); }' -c "$TARGETS/t 12000000 2 q"
ends 0 "clear"
[ "$(echo "$out" | head -1)" -lt 26400000 ] || fail "clear(): $out"
d -qn "$leaf { @ = sum(1); @a = avg(2); } "'tick-20ms, END { printa("%@d\n", @); printa("avg %@d\n", @a); }' -c "$TARGETS/t 12000000 2 q"
ends 0 "snapshots"
echo "$out" | awk '$1 == "avg" && $2 != 2 && $2 != 1 { exit 1 } $1 != "avg" && NF { if ($1 < last) exit 1; last = $1 } END { exit last != 26400000 }' ||
	fail "snapshots: $out"

# more keys than there is room for are lost and counted, as with any aggregation
d -qn "$leaf"' { @[arg0, timestamp] = count(); } END { printa("%@d\n", @); }' -o "$TMP/agg" -c "$TARGETS/t 60000 1 q"
ends 0 "too many keys"
like "too many keys" "$err" "*aggregation drops*"
finish
