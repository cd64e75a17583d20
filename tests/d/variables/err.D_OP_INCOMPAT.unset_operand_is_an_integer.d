/*
 * The operand of ! that had no type has one from then on.
 *
 * message: operands have incompatible types: "int64_t" = "string"
 * line: 16
 */

BEGIN
/!s[1]/
{
	trace(1);
}

BEGIN
{
	s[1] = "a";
}
