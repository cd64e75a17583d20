/*
 * Their number is compared first.
 *
 * line: 8
 * message: a[ ] prototype mismatch: 1 key passed, 2 expected
 */

BEGIN { a[1, "x"] = 1; trace(a[1]); }
