/*
 * stack() at user level prints an empty stack.
 */

BEGIN
{
	stack();
	exit(0);
}
