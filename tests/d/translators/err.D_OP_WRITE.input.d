/*
 * The input of a translator can only be read.
 *
 * line: 10
 * message: operator = can only be applied to a writable variable
 */

struct o { int m; };
translator struct o < int i > {
	m = (i = 3);
};

BEGIN { exit(0); }
