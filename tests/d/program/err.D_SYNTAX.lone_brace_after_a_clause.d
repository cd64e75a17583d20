/*
 * After a whole clause a lone closing brace is a syntax error.
 *
 * message: syntax error near "}"
 * line: 9
 */

BEGIN { exit(0); }
}
