/*
 * A predicate does not end while a bracket is open.
 *
 * line: 9
 * message: closing ] expected in predicate before /
 */

int a[int];
BEGIN /a[1/ { exit(0); }
