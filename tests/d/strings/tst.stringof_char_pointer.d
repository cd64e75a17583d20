/*
 * stringof reads the characters at an address; (string) is the same.
 *
 * opts: -q
 */

char *p;
BEGIN
{
	p = alloca(8);
	p[0] = 'o';
	p[1] = 'k';
	p[2] = 0;
	printf("%s\n", stringof(p));
	printf("%s\n", (string)p);
	printf("%s\n", stringof p);
	printf("%d\n", strlen(stringof(p)));
	exit(0);
}
