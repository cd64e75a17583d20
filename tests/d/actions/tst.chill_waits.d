/*
 * chill waits, and timestamp is read anew behind it.
 *
 * opts: -q -w
 */

BEGIN
{
	this->t = timestamp;
	chill(1000000);
	printf("%d\n", timestamp - this->t >= 1000000);
	exit(0);
}
