/*
 * The input needs a name.
 *
 * line: 9
 * message: syntax error near ">"
 */

struct o { int m; };
translator struct o < int > { m = 1; };

BEGIN { exit(0); }
