/*
 * A name that only begins like a keyword is an ordinary name.
 *
 * opts: -q
 */

BEGIN
{
	ifx = 1;
	elsewhere = 2;
	selfish = 3;
	this_one = 4;
	sizeofx = 5;
	printf("%d %d %d %d %d\n", ifx, elsewhere, selfish, this_one, sizeofx);
	exit(0);
}
