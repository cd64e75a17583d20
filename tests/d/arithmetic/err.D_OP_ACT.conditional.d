/*
 * An action has no place in a condition.
 *
 * message: action cannot be used in a conditional context
 * line: 10
 */

BEGIN
{
	pid ? printf("a") : printf("b");
}
