/*
 * A macro variable is a constant.
 *
 * message: operator ++ requires modifiable lvalue as an operand
 * line: 10
 */

BEGIN
{
	$pid++;
}
