/*
 * Enum values default to the previous one plus 1, the first to 0.
 *
 * opts: -q
 */

enum e { A, B, C = 10, D, E = -1, F };
BEGIN
{
	printf("%d %d %d %d %d %d\n", A, B, C, D, E, F);
	exit(0);
}
