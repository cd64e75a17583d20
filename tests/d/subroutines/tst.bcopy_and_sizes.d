/*
 * A range of bcopy that ends beyond scratch memory, or a negative size, is an invalid size: of the
 * source as of the destination. Behind the end of a string come zeros.
 *
 * opts: -q
 */

BEGIN { n = -1; p = (char *)alloca(8); q = (char *)alloca(8); p[0] = 'a'; p[7] = 'h'; }
BEGIN { p = (char *)alloca(8); bcopy("abc", p, n); }
BEGIN { p = (char *)alloca(8); bcopy("abc", p, 9); }
BEGIN { p = (char *)alloca(8); q = (char *)alloca(4); bcopy(q, p, 8); }
BEGIN { p = (char *)alloca(8); bcopy("abc", p + 8, 1); }
BEGIN { p = (char *)alloca(8); bcopy("abc", p - 1, 1); }
BEGIN { p = (char *)alloca(8); bcopy("abc", p + 8, 0); bcopy("abcdefghi", p, 8); tracemem(p, 8); }
BEGIN { p = (char *)alloca(8); bcopy("abc", p, 8); tracemem(p, 8); exit(0); }
ERROR { printf("%d %d\n", arg1, arg4); }
