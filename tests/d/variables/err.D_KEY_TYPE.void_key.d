/*
 * void is no key.
 *
 * message: void expression may not be used as associative array index: key #1
 * line: 10
 */

BEGIN
{
	a[(void)0] = 1;
}
