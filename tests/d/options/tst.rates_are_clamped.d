/*
 * cleanrate is kept between 5000hz and once per 60 s, statusrate within 10 s.
 *
 * opts: -q -x cleanrate=1ns -x statusrate=1day
 */

BEGIN
{
	exit(0);
}
