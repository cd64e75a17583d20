/*
 * With zdefs, too, a probe that nobody has, and whose provider nobody has declared, has no args[].
 *
 * opts: -x zdefs
 */

nosuch:::foo
{
	trace(args[0]);
}

BEGIN
{
	exit(0);
}
