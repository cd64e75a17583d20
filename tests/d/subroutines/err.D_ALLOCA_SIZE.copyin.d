/*
 * A constant size of copyin is bounded by scratchsize, too.
 *
 * opts: -x scratchsize=8
 * line: 9
 * message: alloca(9) size larger than scratchsize 8
 */

BEGIN { trace(*(int *)copyin(arg0, 9)); }
