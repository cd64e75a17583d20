/*
 * #pragma D attributes needs attributes and a name.
 *
 * message: malformed #pragma attributes <attributes> <ident>
 * line: 8
 */

#pragma D attributes Stable/Stable/Common
BEGIN
{
	exit(0);
}
