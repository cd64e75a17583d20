/*
 * A declaration below holds for the clauses above.
 *
 * line: 8
 * message: operands have incompatible types: "string" = "int"
 */

BEGIN { y = 1; }
string y;
