/*
 * ++ takes scalars.
 *
 * line: 9
 * message: operator ++ requires operand of scalar type
 */

string s;
BEGIN { s++; }
