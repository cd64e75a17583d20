/*
 * The type of an inline is checked for a folded constant, too.
 *
 * line: 8
 * message: inline s definition uses incompatible types: "string" = "int"
 */

inline string s = 1 + 1;

BEGIN { exit(0); }
