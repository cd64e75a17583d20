/*
 * A string longer than its column is printed in full.
 */

BEGIN
{
	trace("0123456789012345678901234567890123456789");
	exit(0);
}
