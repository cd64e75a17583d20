/*
 * The built-in variables have the types of the manual.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", sizeof(arg0));
	printf("%d\n", sizeof(pid));
	printf("%d\n", sizeof(tid));
	printf("%d\n", sizeof(uid));
	printf("%d\n", sizeof(epid));
	printf("%d\n", sizeof(id));
	printf("%d\n", sizeof(errno));
	printf("%d\n", sizeof(timestamp));
	printf("%d\n", sizeof(walltimestamp));
	printf("%d\n", sizeof(vtimestamp));
	printf("%d\n", sizeof(ucaller));
	printf("%d\n", sizeof(caller));
	printf("%d\n", sizeof(ustackdepth));
	printf("%d\n", sizeof(probename));
	printf("%d\n", sizeof(execname));
	exit(0);
}
