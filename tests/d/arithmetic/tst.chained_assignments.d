/*
 * Assignments are values and group from the right.
 *
 * opts: -q
 */

BEGIN { x = y = 5; printf("%d ", x + y); x += y -= 2; printf("%d %d\n", x, y); exit(0); }
