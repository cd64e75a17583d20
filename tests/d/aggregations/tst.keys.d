/*
 * Keys print by type: strings in 50 columns, int in 8, 64 bits in 16, a char in 3, a short in
 * 5.
 *
 * opts: -q
 */

BEGIN
{
	@["alpha"] = sum(12);
	@["beta"] = sum(340);
	@k[3, "name"] = count();
	@w[4L, (short)5, (char)6] = count();
	exit(0);
}
