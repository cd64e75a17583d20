/*
 * clear zeroes the values and keeps the keys; min and max go back to their start.
 *
 * opts: -q
 */

BEGIN
{
	@c["k"] = count();
	@n["k"] = min(5);
	@x["k"] = max(5);
	@v["k"] = avg(5);
	clear(@c);
	clear(@n);
	clear(@x);
	clear(@v);
	exit(0);
}
