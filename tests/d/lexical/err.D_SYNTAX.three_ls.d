/*
 * A suffix has at most two l.
 *
 * line: 8
 * message: syntax error near "l); }"
 */

BEGIN { trace(1lll); }
