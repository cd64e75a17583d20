/*
 * An action is no operand of the comma.
 *
 * message: operator , operands cannot be actions
 * line: 10
 */

BEGIN
{
	x = 1, printf("a");
}
