/*
 * A format needs an aggregation.
 *
 * message: printa( ) prototype mismatch: 1 args passed, 2 expected
 * line: 10
 */

BEGIN
{
	printa("%d");
}
