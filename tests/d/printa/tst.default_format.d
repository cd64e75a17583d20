/*
 * Without a format a newline and the rows.
 *
 * opts: -q
 */

BEGIN { @a["x", 1] = sum(3); printa(@a); exit(0); }
