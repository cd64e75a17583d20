/*
 * A format without conversions is printed for each entry.
 *
 * opts: -q
 */

BEGIN { @a[1] = count(); @a[2] = count(); printa("row\n", @a); exit(0); }
