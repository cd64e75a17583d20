/*
 * ++ takes what can be assigned to.
 *
 * line: 8
 * message: operator ++ requires modifiable lvalue as an operand
 */

BEGIN { 5++; }
