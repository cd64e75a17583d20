/*
 * print() shows values.
 *
 * line: 8
 * message: print( ) may not be applied to a void expression
 */
BEGIN
{ print((void)1); }
