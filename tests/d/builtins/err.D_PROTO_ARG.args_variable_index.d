/*
 * The index of args[] is a constant.
 *
 * line: 10
 */

BEGIN
{
	x = 1;
	trace(args[x]);
}
