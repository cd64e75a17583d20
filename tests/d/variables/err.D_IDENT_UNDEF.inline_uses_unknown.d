/*
 * The names an inline uses must be known where it stands.
 *
 * message: failed to resolve later: Unknown variable name
 * line: 8
 */

inline int x = later;
BEGIN { later = 1; }
