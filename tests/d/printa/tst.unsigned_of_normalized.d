/*
 * Division is signed in all formats but %@u %@o %@x %@X.
 *
 * opts: -q
 */

BEGIN
{
	@ = sum(-20);
	normalize(@, 7);
	printa("%@d %@u\n", @);
	exit(0);
}
