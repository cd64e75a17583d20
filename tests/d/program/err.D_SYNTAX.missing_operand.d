/*
 * A syntax error names the token it met.
 *
 * message: syntax error near "}"
 * line: 8
 */

BEGIN { 1 + }
