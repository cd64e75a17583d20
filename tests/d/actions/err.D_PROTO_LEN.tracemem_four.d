/*
 * tracemem has at most three arguments.
 *
 * line: 10
 * message: tracemem( ) prototype mismatch: 4 args passed, at most 3 expected
 */

BEGIN
{
	tracemem(1, 8, 2, 3);
}
