/*
 * A pointer into scratch memory reads and writes between its start and what is allocated so far; what
 * lies before and behind is an invalid address, a range across the end an invalid size.
 *
 * opts: -q
 */

BEGIN { s = (char *)alloca(16); s[15] = 'x'; s[16] = 'y'; }
BEGIN { t = (char *)alloca(16); trace(t[-1]); }
BEGIN { t = (char *)alloca(4); trace(*(int64_t *)t); }
BEGIN { t = (char *)alloca(12); *(int64_t *)(t + 8) = 1; }
BEGIN { t = (char *)alloca(4); u = (char *)alloca(8); t[15] = 'z'; printf("%c%d\n", t[15], t[5]); }
BEGIN { t = (char *)alloca(8); tracemem(t + 4, 8); }
BEGIN { exit(0); }
ERROR { printf("%d %d\n", arg1, arg4); }
