/*
 * The upper halves of the AVX registers are not recorded: no value is better than a wrong one.
 *
 * target: types
 * line: 10
 * message: args[0] of pid*:a.out:wider:entry is of type "vector8_t": vectors of more than 16 bytes are not recorded
 */
pid$target:a.out:wider:entry
{
	trace(args[0]);
}
