/*
 * copyinto writes to what was made by alloca() or copyin(), not through a pointer from elsewhere.
 *
 * line: 11
 */

char *p;

BEGIN
{
	copyinto(arg0, 8, p);
	p = alloca(8);
}
