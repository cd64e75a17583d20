/*
 * NULL equals only NULL and is less than every string.
 *
 * opts: -q
 */

string s;
BEGIN { s = NULL; printf("%d %d %d %d\n", s == NULL, s == "", s < "", NULL < "a"); exit(0); }
