/*
 * Nor may destructive subroutines.
 *
 * opts: -w
 * line: 9
 * message: destructive actions may not follow speculate( )
 */

BEGIN { speculate(1); copyout(alloca(1), 1, 1); }
