/*
 * Words that do not go with a structure are refused where its body begins.
 *
 * line: 10
 * message: invalid type declaration: long and long long may only be used with integer or floating-point type
 */

long
struct s
{
	int i;
};
BEGIN { exit(0); }
