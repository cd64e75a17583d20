/*
 * Only members of the output are defined.
 *
 * line: 13
 * message: translator member zz is not a member of struct o
 */

struct o { int m; };
translator struct o < int i > {
	zz =
		i
	;
};

BEGIN { exit(0); }
