/*
 * A character constant is an int; its bytes are unsigned and several pack with the first one
 * most significant.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", 'a');
	printf("%d\n", '\377');
	printf("%d\n", 'ab');
	printf("%x\n", 'abcd');
	printf("%x\n", 'ab');
	printf("%d\n", sizeof('a'));
	printf("%d\n", sizeof('abcd'));
	printf("%d\n", sizeof('abcde'));
	printf("%x\n", 'abcdefgh');
	exit(0);
}
