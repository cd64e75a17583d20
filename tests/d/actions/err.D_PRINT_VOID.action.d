/*
 * print() shows values.
 *
 * line: 7
 */
BEGIN
{ print((void)1); }
