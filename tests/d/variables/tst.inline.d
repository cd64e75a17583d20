/*
 * An inline is its expression, converted to its type.
 *
 * opts: -q
 */

inline int answer = 40 + 2;
inline string who = "world";
inline char small = 300;
inline char cut = pid * 0 + 300;
inline int twice[int n] = n * 2;
inline int plus[int a, int b] = a + b;
BEGIN
{
	printf("%d\n", answer);
	printf("%s\n", who);
	printf("%d\n", small);
	printf("%d\n", sizeof(small));
	printf("%d\n", cut);
	printf("%d\n", sizeof(cut));
	printf("%d\n", twice[21]);
	printf("%d\n", plus[twice[2], answer]);
	exit(0);
}
