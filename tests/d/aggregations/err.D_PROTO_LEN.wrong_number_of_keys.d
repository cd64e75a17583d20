/*
 * The number of keys is fixed by the first use.
 *
 * line: 8
 * message: @a[ ] prototype mismatch: 2 keys passed, 1 expected
 */

BEGIN { @a[1] = count(); @a[1, 2] = count(); }
