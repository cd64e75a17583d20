/*
 * Destructive actions need -w.
 *
 * status: 1
 */

BEGIN
{
	system("echo no");
	exit(0);
}
