/*
 * A plain name must be declared or assigned before.
 *
 * message: failed to resolve nosuchvar: Unknown variable name
 * line: 10
 */

BEGIN
{
	trace(nosuchvar);
}
