/*
 * A D variable has no address.
 *
 * message: cannot take address of dynamic variable
 * line: 11
 */

int i;
BEGIN
{
	trace(&i);
}
