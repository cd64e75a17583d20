/*
 * args[] has as many elements as the function has parameters.
 *
 * target: types
 * line: 11
 * message: index 3 is out of range for pid*:a.out:find:entry args[ ]
 */

pid$target:a.out:find:entry
{
	trace(args[3]);
}
