/*
 * A global is one slot for the session, 0 at first, and keeps its value between clauses.
 *
 * opts: -q
 */

int x;
int y;
BEGIN { printf("%d\n", x); x = 5; }
BEGIN { printf("%d\n", x); x += y; y = 2; }
BEGIN { printf("%d %d\n", x, y); exit(0); }
END { printf("%d\n", x); }
