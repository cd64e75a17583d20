/*
 * The remainder has the sign of the dividend.
 *
 * opts: -q
 */

BEGIN { a = -7; b = 7; printf("%d %d %d %d\n", a % 3, b % -3, a / 3, b / -3); exit(0); }
