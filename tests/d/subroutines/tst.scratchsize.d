/*
 * The option scratchsize says how large a constant size may be; 0 bytes are allowed.
 *
 * opts: -q -x scratchsize=4k
 */

BEGIN
{
	x = alloca(4096);
	y = alloca(0);
	trace(x != NULL);
	exit(0);
}
