/*
 * Words that do not go with a structure are refused where its body begins, before what is wrong in it.
 *
 * line: 9
 * message: invalid type declaration: signed and unsigned may only be used with integer type
 */

unsigned struct s
{
	nonsense
} x;
BEGIN { exit(0); }
