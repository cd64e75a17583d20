/*
 * The value of a comma expression is its last operand.
 *
 * opts: -q
 */

BEGIN { x = (1, 2, 3); y = (x = 7, x + 1); printf("%d %d\n", x, y); exit(0); }
