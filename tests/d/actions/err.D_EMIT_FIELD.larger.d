/*
 * The first call says how large a number is; a larger one would be cut.
 *
 * message: event e has other or smaller fields where it is emitted first
 * line: 11
 */

BEGIN
{
	emit("e", 1);
	emit("e", timestamp);
}
