/*
 * Clause-local variables cannot be associative arrays.
 *
 * message: associative arrays may not be declared as local variables: a
 * line: 8
 */

this int a[int];
BEGIN { exit(0); }
