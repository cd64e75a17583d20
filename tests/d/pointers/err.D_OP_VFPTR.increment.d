/*
 * The operand of ++ has a known size.
 *
 * message: operator ++ requires an operand of known size
 * line: 11
 */

void *p;
BEGIN
{
	p++;
}
