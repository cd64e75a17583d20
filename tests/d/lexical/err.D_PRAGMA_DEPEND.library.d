/*
 * The main program may not depend on a library.
 *
 * message: main program may not explicitly depend on a library
 * line: 8
 */

#pragma D depends_on library x.d
BEGIN
{
	exit(0);
}
