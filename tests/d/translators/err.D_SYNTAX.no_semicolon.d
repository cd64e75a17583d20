/*
 * A translator ends in a semicolon.
 *
 * line: 11
 * message: syntax error near "BEGIN { exit(0); }*
 */

struct o { int m; };
translator struct o < int i > { m = i; }

BEGIN { exit(0); }
