/*
 * Attributes of a name that never appears are an error at the end.
 *
 * message: unused #pragma attributes
 */

#pragma D attributes Stable/Stable/Common nosuch
BEGIN
{
	exit(0);
}
