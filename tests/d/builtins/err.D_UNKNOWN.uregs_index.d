/*
 * The index of uregs[] must be in range.
 *
 * message: uregs[]: index out of bounds (9999)
 * line: 10
 */

BEGIN
{
	trace(uregs[9999]);
}
