/*
 * %c prints the low byte.
 *
 * opts: -q
 */

BEGIN { printf("%c%c%c\n", 321, 'b', (char)'c'); exit(0); }
