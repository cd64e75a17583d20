/*
 * An argument that is not given is not defined.
 *
 * message: macro argument $7 is not defined
 * line: 10
 */

BEGIN
{
	trace($7);
}
