/*
 * The variables of the target are not assigned to.
 *
 * target: types
 * message: operator = can only be applied to a writable variable
 * line: 9
 */
BEGIN
{ `counter = 1; }
