/*
 * A variable may be given scratch memory several times, and NULL.
 *
 * opts: -q
 */

BEGIN
{
	x = (int *)alloca(4);
	*x = 1;
	trace(*x);
	x = NULL;
	trace(x == NULL);
	x = pid ? (int *)alloca(8) + 1 : NULL;
	*x = 2;
	trace(*x);
	exit(0);
}
