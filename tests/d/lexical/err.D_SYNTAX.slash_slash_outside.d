/*
 * // is no comment outside a clause either.
 *
 * line: 9
 * message: syntax error near "// no comment"
 */

#pragma D option quiet
// no comment
BEGIN { exit(0); }
