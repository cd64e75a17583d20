/*
 * All calls with one name have the same fields.
 *
 * message: event e has other or smaller fields where it is emitted first
 * line: 11
 */

BEGIN
{
	emit("e", 1);
	emit("e", "one");
}
