/*
 * The element under ! fixes the keys of its array.
 *
 * message: pending[ ] prototype mismatch: 1 key passed, 2 expected
 * line: 11
 */

BEGIN
{
	trace(!pending[1, 2]);
	pending[3] = 1;
}
