/*
 * A probe has at most 32 arguments.
 *
 * line: 10
 * message: probe x input prototype exceeds max of 32 parameters: 33
 */

provider a {
	probe x(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int);
};

BEGIN { exit(0); }
