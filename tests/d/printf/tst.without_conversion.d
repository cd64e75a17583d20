/*
 * A format without any conversion prints as it stands.
 *
 * opts: -q
 */

BEGIN
{
	printf("just text\n");
	printf("\n");
	exit(0);
}
