/*
 * An aggregation must be assigned before it is named.
 *
 * message: failed to resolve @nosuch: Unknown variable name
 * line: 10
 */

BEGIN
{
	printa(@nosuch);
}
