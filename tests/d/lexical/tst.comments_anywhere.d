/*
 * Comments may stand in any state, span lines, and stand between a probe specifier and its
 * body.
 *
 * opts: -q
 */

/* before */ BEGIN /* between
 two lines */
/* another */
{
	/* inside */ printf("%d\n", 1 /* here */ + /**/ 2);
	exit(0); /* at
	the end */
}
/* after */
