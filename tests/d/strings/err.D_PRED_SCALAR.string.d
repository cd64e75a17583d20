/*
 * A string is no predicate; the error has the line of the clause's closing brace.
 *
 * message: predicate result must be of scalar type
 * line: 12
 */

BEGIN
/execname/
{
	exit(0);
}
