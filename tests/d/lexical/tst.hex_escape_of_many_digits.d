/*
 * \x takes all hex digits that follow and keeps the low 8 bits.
 *
 * opts: -q
 */

BEGIN { printf("%s %d\n", "\x4142", '\x141'); exit(0); }
