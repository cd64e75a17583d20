/*
 * amin is the least that a program may use.
 *
 * opts: -q -x amin=Evolving/Evolving/Common
 */

#pragma D attributes Evolving/Evolving/Common n
int n;
dtrace:::BEGIN
{
	n = 3;
	printf("%d\n", n);
	exit(0);
}
