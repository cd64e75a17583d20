/*
 * clear needs an aggregation.
 *
 * message: clear( ) prototype mismatch: 0 args passed, 1 expected
 * line: 10
 */

BEGIN
{
	clear();
}
