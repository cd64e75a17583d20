/*
 * The machine and the compiler's folding agree.
 *
 * opts: -q
 */

BEGIN
{
	a = 7;
	b = 2;
	c = -7;
	printf("%d\n", a + b);
	printf("%d\n", a - b);
	printf("%d\n", a * b);
	printf("%d\n", a / b);
	printf("%d\n", c / b);
	printf("%d\n", c % b);
	printf("%d\n", a & b);
	printf("%d\n", a | 8);
	printf("%d\n", a ^ b);
	printf("%d\n", ~a);
	printf("%d\n", a << b);
	printf("%d\n", c >> 1);
	printf("%d\n", a == 7 && b == 2);
	printf("%d\n", a < b || c < b);
	exit(0);
}
