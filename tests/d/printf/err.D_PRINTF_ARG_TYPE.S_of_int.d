/*
 * %S takes strings.
 *
 * line: 7
 */

BEGIN { printf("%S", 1); }
