/*
 * A key is converted to the type of the prototype.
 *
 * opts: -q
 */

int a[char];
BEGIN { a[1] = 5; printf("%d %d\n", a[257], a[1]); exit(0); }
