/*
 * A tag that the kernel does not have either is incomplete.
 *
 * message: incomplete struct/union/enum struct nosuch: v
 * line: 8
 */

struct nosuch v;

BEGIN
{
	exit(0);
}
