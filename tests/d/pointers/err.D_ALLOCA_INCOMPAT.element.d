/*
 * The elements of an array are one variable: scratch memory of alloca() or other pointers.
 *
 * line: 8
 * message: a: cannot reuse the same identifier for both alloca and non-alloca allocations
 */

BEGIN
{
	a[1] = (char *)64;
	a[2] = (char *)alloca(8) + 1;
}
