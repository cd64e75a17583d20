/*
 * A setopt that fails is reported like a fault, with one more newline; the clause goes on.
 *
 * opts: -q
 */

BEGIN
{
	setopt("nonesuch", "3");
	printf("on\n");
	exit(0);
}
