/*
 * No subroutine and no action leads out of scratch memory, whatever pointer it is given.
 *
 * opts: -q -w
 */

BEGIN { p = (char *)alloca(8); trace(strlen((string)(p - 1))); }
BEGIN { p = (char *)alloca(8); trace(stringof(p + 8)); }
BEGIN { p = (char *)alloca(8); x = strjoin(stringof(p - 4096), "x"); trace(x); }
BEGIN { p = (char *)alloca(8); tracemem(p - 8, 16); }
struct in6 { char a[16]; };
BEGIN { p = (char *)alloca(8); print(*(struct in6 *)p); }
BEGIN { p = (char *)alloca(8); trace(inet_ntoa((in_addr_t *)(p + 6))); }
BEGIN { p = (char *)alloca(8); trace(inet_ntop(10, p)); }
BEGIN { p = (char *)alloca(8); printm(16, memref(p, 16)); }
BEGIN { p = (char *)alloca(8); trace(memstr(p + 4, 65, 8)); }
BEGIN { p = (char *)alloca(8); copyout(p + 4, 4096, 8); }
BEGIN { p = (char *)alloca(8); copyoutstr((string)(p + 9), 4096, 8); }
BEGIN { p = (char *)alloca(8); trace(index(stringof(p - 1), "a")); }
BEGIN { p = (char *)alloca(8); @[stringof(p + 64)] = count(); }
BEGIN { p = (char *)alloca(8); a[stringof(p + 64)] = 1; }
BEGIN { p = (char *)alloca(8); *(p + 0x7fffffffffffffff) = 1; }
BEGIN { p = (char *)alloca(8); trace(p[-0x2a0000000000]); }
BEGIN { p = (char *)alloca(8); trace(*(long *)0x2a0000000000); }
BEGIN { p = (char *)alloca(8); trace(stringof((char *)0x2a0000001000)); }
BEGIN { p = (char *)alloca(8); trace(json(stringof(p + 8), "a")); }
BEGIN { p = (char *)alloca(8); trace(strtok(stringof(p + 8), "a")); }
BEGIN { p = (char *)alloca(8); trace(basename(stringof(p - 1))); }
BEGIN { exit(0); }
ERROR { printf("%d: %d\n", arg1, arg4); }
