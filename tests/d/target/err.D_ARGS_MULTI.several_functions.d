/*
 * Functions of a pattern differ in their arguments.
 *
 * target: types
 * line: 11
 * message: args[ ] may not be used: pid*:a.out:s*:entry matches 2 probes, whose arguments may differ
 */

pid$target:a.out:s*:entry
{
	trace(args[0]);
}
