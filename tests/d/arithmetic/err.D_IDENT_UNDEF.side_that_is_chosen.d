/*
 * What is chosen is checked.
 *
 * message: failed to resolve nosuch: Unknown variable name
 * line: 10
 */

BEGIN
{
	1 ? nosuch : 1;
}
