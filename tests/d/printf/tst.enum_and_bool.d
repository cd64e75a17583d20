/*
 * Enums and comparisons are integers.
 *
 * opts: -q
 */

enum e { A = 5 };
enum e v;
BEGIN
{
	v = A;
	printf("%d\n", v);
	printf("%d\n", 1 == 1);
	exit(0);
}
