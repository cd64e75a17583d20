/*
 * depends_on takes a class and a name.
 *
 * line: 8
 * message: malformed #pragma depends_on <class> <name>
 */

#pragma D depends_on provider
BEGIN { exit(0); }
