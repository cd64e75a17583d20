/*
 * && needs scalars.
 *
 * message: operator && requires operands of scalar type
 * line: 10
 */

BEGIN
{
	trace(1 && execname);
}
