/*
 * ^^ evaluates both sides, && and || the second only if it matters.
 *
 * opts: -q
 */

BEGIN { n = 0; a = (n++ ^^ 1); b = (1 ^^ n++); c = (0 && n++); d = (1 || n++); printf("%d %d %d %d %d\n", a, b, c, d, n); exit(0); }
