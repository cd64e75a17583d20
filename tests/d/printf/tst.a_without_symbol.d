/*
 * %a of an address without a symbol prints it in hex.
 *
 * opts: -q
 */

BEGIN
{
	printf("%a\n", 0x10);
	exit(0);
}
