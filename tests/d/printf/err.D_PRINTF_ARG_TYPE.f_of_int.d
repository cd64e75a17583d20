/*
 * %f takes floating-point values.
 *
 * line: 7
 */

BEGIN { printf("%f", 1); }
