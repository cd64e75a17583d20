/*
 * docs/spec/d-language.md §12.9: the last row is ">= f^(h+1)", the first "<= -f^(h+1)", also where that number needs
 * all 64 bits.
 * opts: -q
 */
BEGIN
{
	@[1] = llquantize(9000000000000000000L, 10, 18, 18, 10);
	@[2] = llquantize(-9000000000000000000L, 10, 18, 18, 10);
	exit(0);
}
