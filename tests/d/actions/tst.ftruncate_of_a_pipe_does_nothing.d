/*
 * ftruncate truncates the output if it is a regular file.
 *
 * opts: -q -o /dev/null
 */

BEGIN
{
	printf("lost\n");
	ftruncate();
	exit(0);
}
