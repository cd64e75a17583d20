/*
 * Aggregations are joined by their keys; a missing histogram has the rows of no data.
 *
 * opts: -q
 */

BEGIN
{
	@q["k"] = quantize(5);
	@c["k"] = count();
	@c["j"] = count();
	printa(@q, @c);
	printa("%s:%@d%@d\n", @q, @c);
	exit(0);
}
