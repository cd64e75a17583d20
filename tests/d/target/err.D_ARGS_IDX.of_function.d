/*
 * args[] has as many elements as the function has parameters.
 *
 * target: types
 * line: 10
 */

pid$target:a.out:find:entry
{
	trace(args[3]);
}
