/*
 * A string and an integer make a string that begins further in.
 *
 * opts: -q
 */

BEGIN { x = "abcdef"; printf("%c %c %s %s\n", x[1], *x, x + 2, stringof(x + 3)); exit(0); }
