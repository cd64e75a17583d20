/*
 * A string is not cast to int.
 *
 * message: invalid cast expression: "string" to "int"
 * line: 10
 */

BEGIN
{
	trace((int)"a");
}
