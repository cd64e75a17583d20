/*
 * An unknown member is told by the line of the closing brace.
 *
 * line: 12
 * message: translator member zz is not a member of struct o
 */

struct o { string b; };
translator struct o < int i > {
	zz = i;

};
BEGIN { exit(0); }
