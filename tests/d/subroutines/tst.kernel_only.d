/*
 * What only a kernel can answer: ddi_pathname() gives "<unknown>", getf() no file.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s %d\n", ddi_pathname(NULL, 0), getf(0) == NULL);
	exit(0);
}
