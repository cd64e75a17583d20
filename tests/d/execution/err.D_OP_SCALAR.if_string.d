/*
 * The condition of if is a scalar.
 */

BEGIN
{
	if (execname)
		exit(0);
}
