/*
 * Nothing inside a comment is read: no quotes, no stars, no directives.
 *
 * opts: -q
 */

/* " ' ** * / #error no */
BEGIN
{
	/* "unterminated */
	printf("%s\n", "/* not a comment */");
	exit(0);
}
