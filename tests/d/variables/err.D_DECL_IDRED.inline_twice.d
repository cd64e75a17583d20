/*
 * An inline is defined once.
 *
 * message: identifier redefined: x*
 * line: 9
 */

inline int x = 1;
inline int x = 2;
BEGIN { exit(0); }
