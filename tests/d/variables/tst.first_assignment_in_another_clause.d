/*
 * The order is that of the text, not of execution.
 *
 * opts: -q
 */

END { x = (char)300; printf("%d\n", x); }
BEGIN { x = 1000; printf("%d\n", x); exit(0); }
