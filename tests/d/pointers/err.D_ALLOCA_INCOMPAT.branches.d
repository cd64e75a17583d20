/*
 * A conditional of scratch memory and another pointer is not assigned; with NULL it may be.
 *
 * line: 14
 * message: ternary conditional with alloca and non-alloca branches cannot be assigned to a variable
 */

char *q;

BEGIN
{
	p = (char *)alloca(8);
	n = pid ? p : NULL;
	v = pid ? p : q;
}
