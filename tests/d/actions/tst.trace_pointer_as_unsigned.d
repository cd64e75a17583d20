/*
 * Pointers count as unsigned 64-bit values, comparisons and enums as int.
 */

enum e { A = 3 };
BEGIN
{
	trace((char *)-1);
	trace(1L == 1L);
	trace(A);
	exit(0);
}
