/*
 * The words of an attribute must be known.
 *
 * message: invalid attributes specified by #pragma attributes
 * line: 8
 */

#pragma D attributes Good/Stable/Common x
BEGIN
{
	exit(0);
}
