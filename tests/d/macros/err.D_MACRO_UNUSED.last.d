/*
 * The last operand must be used.
 *
 * args: a b
 * message: extraneous argument 'b' ($2 is not referenced)
 */

BEGIN
{
	trace($$1);
}
