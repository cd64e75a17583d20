/*
 * Strings are compared byte by byte, unsigned.
 *
 * opts: -q
 */

BEGIN { printf("%d %d %d %d %d\n", "a" < "b", "a" < "ab", "\377" > "a", "abc" >= "abc", "" < "a"); exit(0); }
