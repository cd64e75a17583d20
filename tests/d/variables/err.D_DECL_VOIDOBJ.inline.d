/*
 * There is no void inline.
 *
 * message: cannot declare void inline: x
 * line: 8
 */

inline void x = 1;
BEGIN { exit(0); }
