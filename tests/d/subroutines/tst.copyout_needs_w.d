/*
 * copyout and copyoutstr are destructive.
 *
 * status: 1
 */

BEGIN
{
	copyout(alloca(4), 0, 4);
	copyoutstr("x", 0, 1);
	exit(0);
}
