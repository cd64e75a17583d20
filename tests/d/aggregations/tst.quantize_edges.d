/*
 * A value v goes to the bucket 2^floor(log2 v); values from 2^62 all go to the last one.
 *
 * opts: -q
 */

BEGIN
{
	@a = quantize(0x7fffffffffffffff);
	@b = quantize(1023);
	@b = quantize(1024);
	exit(0);
}
