/*
 * The semicolon after the last statement of a clause may be missing, and statements may be
 * empty.
 *
 * opts: -q
 */

BEGIN
{
	;;
	printf("a\n");;
	exit(0)
}
