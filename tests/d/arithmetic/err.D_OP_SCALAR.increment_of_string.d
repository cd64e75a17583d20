/*
 * ++ takes scalars.
 *
 * line: 9
 * message: operator ++ requires an operand of scalar type
 */

string s;
BEGIN { s++; }
