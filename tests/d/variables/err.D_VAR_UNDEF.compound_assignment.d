/*
 * A compound assignment does not declare.
 *
 * message: x has not yet been declared or assigned
 * line: 10
 */

BEGIN
{
	x += 1;
}
