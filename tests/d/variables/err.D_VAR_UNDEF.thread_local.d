/*
 * A self-> variable must be declared or assigned before it is read.
 *
 * message: self->x has not yet been declared or assigned
 * line: 10
 */

BEGIN
{
	trace(self->x);
}
