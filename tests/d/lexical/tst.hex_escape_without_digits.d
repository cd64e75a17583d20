/*
 * \x without digits is a NUL.
 *
 * opts: -q
 */

BEGIN { printf("%d [%s]\n", '\x', "a\xb"); exit(0); }
