/*
 * A probe is declared once.
 *
 * line: 10
 * message: probe redeclared: a:x
 */

provider a {
	probe x();
	probe x();
};

BEGIN { exit(0); }
