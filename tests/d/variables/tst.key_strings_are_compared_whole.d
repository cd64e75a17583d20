/*
 * Keys that begin alike are different keys.
 *
 * opts: -q
 */

BEGIN { a["abc"] = 1; a["abcd"] = 2; a[""] = 3; printf("%d %d %d\n", a["abc"], a["abcd"], a[""]); exit(0); }
