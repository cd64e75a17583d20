/*
 * The sum of squares is kept in 128 bits.
 *
 * opts: -q
 */

BEGIN
{
	@ = stddev(4000000000);
	@ = stddev(4000000010);
	@ = stddev(-4000000000);
	@ = stddev(-4000000010);
	exit(0);
}
