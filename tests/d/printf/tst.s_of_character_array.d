/*
 * %s of a char array prints text.
 *
 * opts: -q
 */

char c[4];
BEGIN { c[0] = 'h'; c[1] = 'i'; printf("[%s|%5s|%-5s]\n", c, c, c); exit(0); }
