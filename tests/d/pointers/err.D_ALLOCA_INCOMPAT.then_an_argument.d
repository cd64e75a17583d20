/*
 * A variable that held scratch memory of alloca() cannot hold another pointer; the line is that of the clause.
 *
 * message: x: cannot reuse the same identifier for both alloca and non-alloca allocations
 * line: 13
 */

BEGIN
{
	x = (int *)alloca(4);
}

END
{
	x = (int *)arg0;
}
