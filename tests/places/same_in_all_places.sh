# Programs that were not the same in all places once: at breakpoints, in the target, in the kernel, and of records.
# needs: root
# timeout: 120
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

[ -x /usr/bin/python3 ] || skip "no python3"

# same WHAT [PROVIDER...]: the programs of standard input, at breakpoints and elsewhere
same() {
	what=$1
	shift
	/usr/bin/python3 tests/tools/places.py "$@" >"$TMP/differs" || fail "$what:
$(cat "$TMP/differs")"
}

# of system calls such memory is read later, if the process has not ended by then
same "addresses that are one thing or another" fpid <<'END'
PROBE:entry /MINE && *(short *)(arg0 & 8 ? arg1 : 0) == 5/ { trace(1); }

this long p;
PROBE:entry /MINE/ { this->p = arg0 & 8 ? arg1 : 0; @[*(char *)this->p] = count(); }

PROBE:entry /MINE/ { trace((string)(arg0 & 8 ? arg1 : 0)); }

PROBE:entry /MINE/ { print(*(arg0 & 8 ? (char *)arg1 : 0)); }

PROBE:entry /MINE/ { trace(*(char *)(0x200000000000 + cpu - cpu)); }
END

same "texts of the program as keys" fpid <<'END'
self int e[string];
int f[int, string];
PROBE:entry /MINE/ { self->e[(string)arg1]++; @[stringof(copyin(arg1, 6))] = sum(self->e[(string)arg1]); }
PROBE:entry /MINE/ { f[1, (string)arg1] = arg2; printf("%d ", f[1, (string)arg1]); }

int e[string];
PROBE:entry /MINE/ { e[stringof(arg1)] = 1; @[e[(string)(arg0 & 1 ? arg1 : 0)]] = count(); }
END

same "texts of the program that subroutines get" fpid <<'END'
PROBE:entry /MINE/ { printf("%s %d ", strjoin(stringof(arg1), "x"), strlen((string)arg1)); }
END

same "addresses that variables hold" fpid <<'END'
this long p;
PROBE:entry /MINE/ { this->p = arg1; }
PROBE:entry /MINE/ { @[*(char *)this->p] = count(); }

long p;
PROBE:entry /MINE/ { p = arg1; }
PROBE:entry /MINE/ { trace(*(char *)p); }

PROBE:entry /MINE/ { this->p = (uintptr_t *)alloca(8); *this->p = arg1; trace(*(char *)*this->p); }

struct pair { long first; char *second; };
struct pair both;
PROBE:entry /MINE/ { both.second = (char *)arg1; }
PROBE:entry /MINE/ { trace(*both.second); }
END

same "predicates that assign, of clauses of which the rest is a record" <<'END'
this int x;
PROBE:entry /MINE && this->x-- == arg1/ { printf("%d %d|", arg2, this->x); }

self int n;
PROBE:entry /MINE && self->n++ == 90/ { printf("%d %d|", arg2, self->n); }

self int n;
PROBE:entry /MINE && self->n++ < 50 && *(char *)arg1 == 97/ { printf("%d %d|", arg2, self->n); }

self int k[int];
PROBE:entry /MINE && self->k[arg2 & 1]++ == 5/ { printf("%d ", arg0); }
END

same "a variable that only an increment reads, and nobody assigns" <<'END'
this short x;
PROBE:entry /MINE/ { @[arg2 & 1] = quantize(1, (this->x >= (unsigned char)arg2) & 15); }
PROBE:return /MINE/ { @r = count(); }
END

same "faults behind elements that only the target has" fpid <<'END'
self int e[int];
PROBE:entry /MINE && self->e[arg2 & 1] && *(char *)arg1 == 97/ { @[arg0] = count(); }
PROBE:return /MINE/ { self->e[1] = 1; }

self int e[int];
PROBE:entry /MINE/ { @[self->e[arg2 & 1], (string)arg1] = count(); @s[self->e[0], copyinstr(arg1)] = count(); }
PROBE:return /MINE/ { self->e[1] = 1; }
END

same "divisions by what may be 0, and by -1" <<'END'
self long x;
PROBE:entry /MINE/ { @k[arg2] = sum(100 / (arg2 & 3)); @r[arg2 & 7] = sum(-arg2 % (arg2 & 1 ? -1 : (long)arg2 - 8)); }
PROBE:entry /MINE && 10u / (arg2 & 3) > 4/ { self->x = 7 % (arg2 & 1); @ = sum(self->x); self->x = 3; }
PROBE:return /MINE/ { @x[self->x] = count(); }

this long by;
long n;
PROBE:entry /MINE/ { this->by = n; n = arg2 & 3; @[n] = sum((1L << 63) / this->by); @m[n] = min((1L << 63) / (this->by - 2)); }
PROBE:entry /MINE && 1 % (arg2 & 1) == 0/ { printf("%d ", 5 / (arg2 & 2)); }
ERROR { @e[arg1, arg2, arg3, arg4, arg5] = count(); }
END

same "what functions have not" fpid <<'END'
PROBE:entry,PROBE:return /MINE && errno == 0/ { @[errno, stackdepth] = count(); }
END

same "where strtok() is in a text" <<'END'
PROBE:entry /MINE && arg0/ { printf("%s ", strtok("one two three", " ")); }
PROBE:entry /MINE && arg0/ { printf("%s\n", strtok(NULL, " ")); }
END

same "the parent of a process that has ended since" fpid <<'END'
PROBE:entry /MINE/ { trace(progenyof($pid)); }
END

finish
