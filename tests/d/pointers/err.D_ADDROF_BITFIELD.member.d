/*
 * A bit-field has no address.
 *
 * message: cannot take address of bit-field
 * line: 12
 */

struct s { int a:3; };
struct s *p;
BEGIN
{
	trace(&p->a);
}
