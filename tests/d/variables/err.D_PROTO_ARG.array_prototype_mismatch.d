/*
 * Keys after the first use are compared with it.
 *
 * line: 7
 */

BEGIN { a[1, "x"] = 1; a["x", 1] = 2; }
