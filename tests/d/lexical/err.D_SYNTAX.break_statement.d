/*
 * break is reserved and has no use.
 *
 * line: 8
 * message: syntax error near "break"
 */

BEGIN { break; }
