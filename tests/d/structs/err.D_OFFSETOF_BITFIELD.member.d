/*
 * A bit-field has no offset.
 *
 * message: cannot take offset of a bit-field: a
 * line: 11
 */

struct s { int a:3; };
BEGIN
{
	trace(offsetof(struct s, a));
}
