/*
 * With nspec=2 there are two IDs, the lowest free one first.
 *
 * opts: -q -x nspec=2
 */

BEGIN { a = speculation(); b = speculation(); printf("%d %d\n", a, b); discard(a); c = speculation(); printf("%d\n", c); exit(0); }
