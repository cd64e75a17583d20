/*
 * printa() happens when its record is read: after exit() in BEGIN that is when END has run.
 *
 * opts: -q
 */

BEGIN
{
	@a = sum(2);
	printa(@a);
	exit(0);
}

END
{
	@a = sum(10);
	printa(@a);
}
