/*
 * A leading zero makes an octal constant.
 *
 * opts: -q
 */

BEGIN { printf("%d %d %d\n", 0, 00, 0777); exit(0); }
