/*
 * panic of a kernel that is not ours is an illegal operation; breakpoint does nothing.
 *
 * opts: -q -w
 */

BEGIN { breakpoint(); panic(); }
ERROR { printf("%d\n", arg4); exit(0); }
