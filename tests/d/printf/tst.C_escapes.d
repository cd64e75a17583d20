/*
 * %C escapes.
 *
 * opts: -q
 */

BEGIN { printf("%C %C %C %C %C %C\n", 'a', '\n', 0, 27, '"', 200); exit(0); }
