# What clauses read of the program's memory, texts as keys and in predicates, numbers behind pointers, is read
# by the target: the same with claim=off; without room for a single record nothing is lost. What is not
# there faults as it does in a record, once for each hit.
# needs: user
# timeout: 240
. tests/lib/lib.sh
. tests/lib/claimed.sh

take='fpid$target:a.out:take:entry'
look='fpid$target:a.out:look:entry'
thing='struct thing { int small; signed char tiny; unsigned short middle; long large; struct thing *next; const char *name; };'
texts="$TARGETS/texts 300 3"

claimed "$take"' { @[copyinstr(arg0)] = count(); }' "$texts"
claimed "$take"' { @[copyinstr(arg0, 5), arg1 & 3] = sum(arg1); @s[(string)arg0] = count(); @u[stringof(arg0), probefunc] = max(arg1); }' "$texts"
claimed "$take"' /copyinstr(arg0) == "alpha"/ { @ = count(); @k[copyinstr(arg0)] = avg(arg1); }' "$texts"
claimed "$take"' /"heap 2" < copyinstr(arg0) || (string)arg0 == ""/ { @[arg1 & 1 ? "x" : copyinstr(arg0)] = quantize(arg1); }' "$texts"
claimed "$take"' /strstr(copyinstr(arg0), "ea") != NULL && strstr(copyinstr(arg0), "") != NULL/ { @[stringof(arg0)] = count(); }' "$texts"
claimed "$take"' /copyinstr(arg0) == copyinstr(arg0, 5) || copyinstr(arg0) < stringof(arg0 + 1)/ { @[(string)arg0] = count(); }' "$texts"
claimed "$take"' /strstr(copyinstr(arg0), copyinstr(arg0 + 3)) != NULL && stringof(arg0) != stringof(arg0 + 1)/ { @[stringof(arg0)] = count(); }' "$texts"
claimed "$take"' { @[index(copyinstr(arg0), "a"), rindex(copyinstr(arg0), "a")] = sum(index(copyinstr(arg0), substr(copyinstr(arg0), -2))); }' "$texts"
claimed "$take"' /substr(copyinstr(arg0), 1, 3) == "lph" || strlen(substr(copyinstr(arg0), 3)) > 4/ { @[substr(copyinstr(arg0), 2), substr(copyinstr(arg0, 20), -4, -1)] = count(); }' "$texts"
claimed "$take"' { @[stringof(copyin(arg0, 6))] = count(); @b[(string)copyin(arg0, 1), arg1 & 1 ? substr(copyinstr(arg0), 1) : "none"] = sum(arg1); }' "$texts"
# what subroutines make of texts, of numbers and of each other
claimed "$take"' { @[basename(copyinstr(arg0)), dirname(stringof(arg0)), cleanpath(strjoin("/a/../", copyinstr(arg0)))] = count(); }' "$texts"
claimed "$take"' { @[toupper(copyinstr(arg0)), tolower(strjoin("X ", stringof(arg0)))] = count(); }' "$texts"
claimed "$take"' { @[strjoin(strjoin(probefunc, ":"), lltostr(arg1 & 3)), lltostr(-(int64_t)arg1, 16)] = count(); @o[lltostr(arg1, 8)] = count(); }' "$texts"
claimed "$take"' { @[strtok(strjoin("x y", copyinstr(arg0)), " y"), substr(substr(copyinstr(arg0), 1), 1, 3)] = sum(strtoll(strjoin("12", copyinstr(arg0)), 16)); }' "$texts"
claimed "$take"' /strchr(copyinstr(arg0), 0x61) != NULL && strrchr(stringof(arg0), 0x20) == NULL/ { @[strchr(copyinstr(arg0), 0x61), strrchr(copyinstr(arg0), 0x61)] = count(); }' "$texts"
claimed "$take"' /strstr(copyinstr(arg0), "a") != NULL/ { @[strstr(copyinstr(arg0), "a")] = sum(index(copyinstr(arg0), "a", 2) + rindex(copyinstr(arg0), "a", 2)); }' "$texts"
claimed "$take"' /strtok(copyinstr(arg0), "e") == basename(stringof(arg0)) || toupper(copyinstr(arg0)) > "H"/ { x[basename(copyinstr(arg0)), arg1 & 1]++; @ = count(); } END { printf("%d %d", x["alpha", 1], x["beta", 0]); }' "$texts"
claimed "$take"' /copyinstr(arg0) == "a" || copyinstr(arg0) == "alpha" || copyinstr(arg0) == "b" || copyinstr(arg0) == "c" || copyinstr(arg0) == "beta"/ { @[stringof(arg0)] = count(); }' "$texts"
claimed "$take"' /copyinstr(uregs[R_RDI]) != "beta"/ { @[copyinstr(uregs[R_RDI]), *(char *)copyin(uregs[R_RDI], 1)] = count(); }' "$texts"
claimed "$take"' /ucaller == *(uintptr_t *)copyin(uregs[R_RSP], 8)/ { @[ufunc(uregs[R_PC]), uregs[R_RSI] == arg1] = count(); }' "$texts"
# registers behind a return: its result, and an argument that the function has left where it was; there is no such record
d -x fpidbuf=4k -qn 'fpid$target:a.out:take:return /uregs[R_RAX] == arg1/ { @[copyinstr(uregs[R_RDI]) == "beta"] = count(); }' -c "$texts"
ends 0 "behind a return"
is "behind a return" "$(echo $out) $err" "take 3600 look 900 1 180 0 3420 "
claimed 'long n; '"$take"' { @[strlen(copyinstr(arg0))] = count(); @q = quantize(strlen(copyinstr(arg0, 9))); n += strlen(copyinstr(arg0, 3)); } END { printf("%d", n); }' "$texts"
claimed "$thing $look"' { @[((struct thing *)copyin(arg0, sizeof (struct thing)))->tiny, *(int *)copyin(arg0, 4)] = sum(((struct thing *)copyin(arg0, sizeof (struct thing)))->large); }' "$texts"
claimed "$thing $look"' { this->t = (userland struct thing *)arg0; @[this->t->small, this->t->next->large, this->t->tiny] = sum(this->t->middle); @n[copyinstr((uintptr_t)this->t->next->name)] = count(); }' "$texts"
claimed "$take"' { self->n = arg1; @[copyinstr(arg0)] = count(); } fpid$target:a.out:take:return { @r[self->n & 7] = count(); self->n = 0; }' "$texts"
claimed "$take"' { this->l = strlen(copyinstr(arg0)); } '"$take"' /this->l > 6/ { @[this->l] = sum(this->l); }' "$texts"
d -x strsize=8 -x fpidbuf=4k -qn "$take"' /copyinstr(arg0) == "a longe"/ { @[copyinstr(arg0)] = count(); }' -c "$TARGETS/texts 300 2"
is "strsize" "$(echo $out)" "take 2400 look 600 a longe 120"
d -qn "$take"' /copyinstr(arg0) == "beta"/ { printf("%s\n", copyinstr(arg0)); }' -c "$TARGETS/texts 30 1"
is "a predicate before any record" "$(echo $out) $err" "take 120 look 30 beta beta beta beta beta beta "

# an element as a key, which is assigned at once
claimed 'int x[string]; '"$take"' { @[x[copyinstr(arg0)]++ & 3] = count(); @s = sum(++x[substr(copyinstr(arg0), 1)]); }' "$TARGETS/texts 300 1"

# against what the program says of itself
d -x fpidbuf=4k -qn "$take"' { @[copyinstr(arg0)] = count(); } '"$take"' /copyinstr(arg0) == "beta"/ { n++; } END { printf("n %d\n", n); }' \
	-c "$TARGETS/texts 60000 2"
ends 0 "counts"
like "counts" "$err" ""
is "counts: all" "$(echo "$out" | awk '/^take/ { want = $2 } /^n/ { n = $2 } !/^(take|n) / { all += $NF } END { print all - want, n }')" "0 24000"
is "counts: the heap" "$(echo "$out" | awk '/heap 3 and more/ { print $NF }')" 30000

# faults: the same ones, of the same place, as often; statements that stand before have been done
faults() {
	for how in on off; do
		d -x claim=$how -x fpidfull=wait -qn "$1" -c "$TARGETS/texts 200 2 faults"
		ends 0 "claim=$how: $1"
		echo "$out" | sort >"$TMP/$how"
		echo "$err" | sed 's/ID 1 (ID [0-9]*: fpid[0-9]*/ID/' | sort >>"$TMP/$how"
	done
	grep -q 'invalid address (0x0) in' "$TMP/on" || fail "$1: no fault"
	cmp -s "$TMP/on" "$TMP/off" || fail "$1: (< claim=on, > claim=off)
$(diff "$TMP/on" "$TMP/off" | head -20)"
}
faults "$take"' { @[copyinstr(arg0)] = count(); } ERROR { @e[arg2, arg3, arg4, arg5] = count(); }'
faults "$take"' { @a = count(); @[copyinstr(arg0), strlen(copyinstr(arg0, 3))] = count(); @b = sum(arg1); @c[stringof(arg0)] = count(); @d = count(); }'
faults "$take"' /copyinstr(arg0) == "alpha" || arg1 > 50/ { @ = count(); }'
faults "$take"' { @a = count(); x[copyinstr(arg0)]++; @d = count(); } END { printf("%d %d\n", x["alpha"], x[""]); }'
faults "$take"' { @[self->y[copyinstr(arg0)]++ & 3] = count(); @s[copyinstr(arg0)] = sum(arg1); }'
faults "$take"' /strstr(copyinstr(arg0), "e") == NULL/ { printf("%s %d\n", copyinstr(arg0), arg1); }'
faults "$take"' /copyinstr(arg0, 3) == copyinstr(uregs[R_RDI])/ { @ = count(); }'
faults "$take"' { @[substr(copyinstr(arg0), 1, 2), stringof(copyin(arg0, 4))] = count(); @i[index(copyinstr(arg0), "p")] = count(); }'
faults "$take"' /index(copyinstr(arg0), copyinstr(arg0 + (arg1 & 1))) == 0/ { @ = sum(rindex(copyinstr(arg0), "p")); }'
faults "$take"' { @[basename(copyinstr(arg0)), strjoin("x", stringof(arg0))] = count(); }'
faults "$take"' { @a = count(); @[strchr(copyinstr(arg0), 0x61)] = count(); @b[strtok(copyinstr(arg0), "alph")] = count(); @c = count(); }'
faults "$take"' /strlen(strstr(copyinstr(arg0), "p")) > 2/ { @[toupper(copyinstr(arg0))] = sum(strtoll(copyinstr(arg0))); }'
faults "$take"' { this->x = 5; @c[this->x] = count(); this->x = strlen(copyinstr(arg0)); } '"$take"' { @[this->x] = count(); }'
faults "$thing $look"' { @[((userland struct thing *)arg0)->next->large] = count(); @n = sum(((struct thing *)copyin(arg0, 8))->small); }'

# what it reads and then assigns is the engine's
for how in on off; do
	d -x claim=$how -x fpidfull=wait -qn "$take"' { self->l = strlen(copyinstr(arg0)); } fpid$target:a.out:take:return { @[self->l] = count(); self->l = 0; }' \
		-c "$TARGETS/texts 200 2"
	echo "$out" >"$TMP/$how"
done
cmp -s "$TMP/on" "$TMP/off" || fail "a variable of the thread: $(diff "$TMP/on" "$TMP/off")"

# a table without room: what is missing is counted
cat >"$TMP/many.c" <<'C'
#include <stdio.h>
#include <string.h>
__attribute__((noinline)) int named(const char *s) { __asm__ volatile("" : : "r"(s) : "memory"); return 1; }
int main(void)
{
	char name[256];
	memset(name, 'n', 240);
	for (int i = 0; i < 60000; i++) {
		snprintf(name + 240, 16, "%d", i);
		named(name);
	}
	return 0;
}
C
cc -O1 -o "$TMP/many" "$TMP/many.c" || fail cc
d -qn 'fpid$target:a.out:named:entry { @[copyinstr(arg0)] = count(); @n["all"] = count(); } END { trunc(@, 0); printa("%s %@d\n", @n); }' -c "$TMP/many"
ends 0 "no room"
is "no room: the others" "$(echo $out)" "all 60000"
like "no room" "$err" "*aggregation drops*"

# handlers of signals read texts at any moment, and leave by a jump
cat >"$TMP/sig.c" <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
static volatile long calls, handled;
static sigjmp_buf home;
static char far[64] = "a text that lies far from the stack";
__attribute__((noinline)) void hit(const char *s) { calls = calls + 1; __asm__ volatile("" : : "r"(s) : "memory"); }
static void on(int sig)
{
	char near[32] = "in a handler";
	handled++;
	hit(near);
	hit(far);
	if (handled % 3 == 0)
		siglongjmp(home, sig);
}
int main(void)
{
	struct itimerval every = {{0, 100}, {0, 100}};
	volatile int i = 0;
	char near[64] = "a text that lies on the stack, and not far";
	signal(SIGALRM, on);
	setitimer(ITIMER_REAL, &every, 0);
	while (sigsetjmp(home, 1) || handled < 3000)
		for (; i < 2000000000 && handled < 3000; i++)
			hit(i & 1 ? near : far);
	every = (struct itimerval){{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &every, 0);
	printf("calls %ld\n", calls);
	return 0;
}
C
cc -O1 -o "$TMP/sig" "$TMP/sig.c" || fail cc
d -qn 'fpid$target:a.out:hit:entry { @[copyinstr(arg0)] = count(); @n["all"] = count(); }' -o "$TMP/agg" -c "$TMP/sig"
ends 0 "signals"
awk -v calls="${out#calls }" '/^ *all / { all = $2; next } NF { texts += $NF; kinds++ }
	END { exit kinds != 3 || all < calls || all > calls + 1000 || texts < all - 1000 || texts > all + 1000 }' "$TMP/agg" ||
	fail "signals: $out, $(cat "$TMP/agg") $err"
finish
