/*
 * copyoutstr writes a string into the target, which then uses it.
 *
 * opts: -q -w
 * target: echo hello
 * needs: user
 */

pid$target:libc.so.6:write:entry,
pid$target:libc.so.6:__write:entry
{
	copyoutstr("HELLO", arg1, 5);
}
