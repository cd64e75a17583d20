/*
 * Signals, error numbers, registers and fault codes have names.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d %d %d %d\n", SIGKILL, ENOENT, R_RSP, DTRACEFLT_DIVZERO);
	exit(0);
}
