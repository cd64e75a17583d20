/*
 * Only the first error of a compilation is reported.
 *
 * status: 1
 */

BEGIN
{
	trace(nosuch1);
	trace(nosuch2);
}
