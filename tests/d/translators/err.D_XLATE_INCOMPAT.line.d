/*
 * What is wrong with a member is told by the line of the closing brace.
 *
 * line: 12
 * message: translator member b definition uses incompatible types: "string" = "int"
 */

struct o { string b; };
translator struct o < int i > {
	b = i;

}
;
BEGIN { exit(0); }
