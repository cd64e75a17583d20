/*
 * if may stand in if; else belongs to the nearest.
 *
 * opts: -q
 */

BEGIN { x = 5; if (x > 3) if (x > 10) printf("a"); else printf("b"); else printf("c"); exit(0); }
