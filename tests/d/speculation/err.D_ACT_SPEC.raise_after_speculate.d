/*
 * Destructive actions may not follow speculate.
 *
 * opts: -w
 * line: 9
 * message: destructive actions may not follow speculate( )
 */

BEGIN { speculate(1); raise(9); }
