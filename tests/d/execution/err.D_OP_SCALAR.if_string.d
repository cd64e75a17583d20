/*
 * The condition of if is a scalar.
 *
 * message: if condition must be of scalar type
 */

BEGIN
{
	if (execname)
		exit(0);
}
