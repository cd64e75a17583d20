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

finish
