/*
 * The upper halves of the AVX registers are not recorded: no value is better than a wrong one.
 *
 * target: types
 * line: 9
 */
pid$target:a.out:wider:entry
{
	trace(args[0]);
}
