/*
 * Assignments and aggregations alone print none.
 */

BEGIN { x = 1; @a = count(); clear(@a); trunc(@a); }
BEGIN { y = 2; }
END { z = 3; }
BEGIN { exit(0); }
