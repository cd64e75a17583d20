/*
 * Attributes of what the program did not define cannot be changed.
 *
 * message: #pragma attributes cannot modify entity defined outside program scope
 * line: 8
 */

#pragma D attributes Stable/Stable/Common pid
BEGIN
{
	exit(0);
}
