/*
 * A definition must be assignable to its member.
 *
 * line: 11
 * message: translator member m definition uses incompatible types: "string" = "int"
 */

struct o { string m; };
translator struct o < int i > {
	m = i;
};

BEGIN { exit(0); }
