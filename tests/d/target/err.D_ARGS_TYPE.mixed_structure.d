/*
 * A structure half of which is in a floating-point register.
 *
 * target: types
 * line: 10
 */

pid$target:a.out:combine:entry
{
	trace(args[0].a);
}
