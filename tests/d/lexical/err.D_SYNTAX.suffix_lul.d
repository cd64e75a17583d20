/*
 * The u of a suffix comes first.
 *
 * line: 8
 * message: syntax error near "u); }"
 */

BEGIN { trace(1lu); }
