/*
 * Nothing is printed for an aggregation without entries.
 *
 * opts: -q
 */

BEGIN { @a[1] = count(); trunc(@a); printa("%d %@d\n", @a); printf("end\n"); exit(0); }
