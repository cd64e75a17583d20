/*
 * What a clause allocates in all is bounded by scratchsize, alloca() and copyin() together.
 *
 * opts: -q -x scratchsize=32
 */

BEGIN { n = 9; p = alloca(24); q = alloca(8); trace("enough"); }
BEGIN { p = alloca(24); q = alloca(n); trace("too much"); }
BEGIN { p = alloca(32); q = alloca(0); s = strjoin("strings ", "count for nothing"); trace(s); }
BEGIN { n = -1; p = alloca(n); }
BEGIN { exit(0); }
ERROR { printf(" %d %d ", arg1, arg4); }
