/*
 * A provider that a program depends on must be there.
 *
 * message: program requires provider noprov
 * line: 8
 */

#pragma D depends_on provider noprov
BEGIN
{
	exit(0);
}
