/*
 * One argument is called arg, more are args.
 *
 * message: strjoin( ) prototype mismatch: 1 arg passed, 2 expected
 * line: 10
 */

BEGIN
{
	trace(strjoin("a"));
}
