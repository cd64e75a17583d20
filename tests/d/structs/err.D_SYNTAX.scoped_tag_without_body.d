/*
 * A definition has members; its tag is looked at after them.
 *
 * line: 8
 * message: syntax error near "}"
 */

struct a`b { };
BEGIN { exit(0); }
