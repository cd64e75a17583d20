/*
 * What is given out as another type needs a translator.
 *
 * line: 10
 * message: translator from int to struct o *, for output parameter #1 of probe x, is not declared
 */

struct o { int a; };
provider a {
	probe x(int a) : (struct o *a);
};

BEGIN { exit(0); }
