/*
 * sizeof needs a sized type.
 *
 * message: cannot apply sizeof to an operand of unknown size
 * line: 10
 */

BEGIN
{
	trace(sizeof(void));
}
