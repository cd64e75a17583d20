/*
 * An array keeps the types of its keys.
 *
 * line: 10
 */

BEGIN
{
	a["s"] = 1;
	a[1] = 1;
}
