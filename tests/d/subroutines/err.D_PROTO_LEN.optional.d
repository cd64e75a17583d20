/*
 * With optional arguments the message says at least.
 *
 * message: substr( ) prototype mismatch: 1 arg passed, at least 2 expected
 * line: 10
 */

BEGIN
{
	trace(substr("a"));
}
