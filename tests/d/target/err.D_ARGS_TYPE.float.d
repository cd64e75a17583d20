/*
 * Floating-point registers are not recorded: no value is better than a wrong one.
 *
 * target: types
 * line: 10
 */

pid$target:a.out:scale:entry
{
	trace(args[0]);
}
