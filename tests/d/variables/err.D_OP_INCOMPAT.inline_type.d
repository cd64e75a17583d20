/*
 * The expression of an inline fits its type.
 *
 * message: inline f definition uses incompatible types: "int" = "string"
 * line: 8
 */

inline int f = "a";
BEGIN { exit(0); }
