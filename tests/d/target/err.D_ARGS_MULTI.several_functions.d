/*
 * Functions of a pattern differ in their arguments.
 *
 * target: types
 * line: 10
 */

pid$target:a.out:s*:entry
{
	trace(args[0]);
}
