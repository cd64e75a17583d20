/*
 * The same pair of types again is an error.
 *
 * line: 12
 * message: translator from int to struct o has already been declared
 */

struct o { int a; };
translator struct o < int p > { a = p; };
translator struct o < int q > {
	a = q + 1;
};

BEGIN { exit(0); }
