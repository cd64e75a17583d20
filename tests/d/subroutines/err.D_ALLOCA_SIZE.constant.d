/*
 * A constant size is bounded by scratchsize (256 by default).
 *
 * line: 10
 * message: alloca(257) size larger than scratchsize 256
 */

BEGIN
{
	x = alloca(257);
}
