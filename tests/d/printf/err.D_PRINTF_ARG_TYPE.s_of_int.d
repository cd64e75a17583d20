/*
 * %s takes strings.
 *
 * line: 7
 */

BEGIN { printf("%s", 1); }
