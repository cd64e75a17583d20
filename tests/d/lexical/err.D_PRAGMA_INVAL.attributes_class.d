/*
 * The class of attributes is one of six words.
 *
 * line: 8
 * message: invalid attributes specified by #pragma attributes
 */

#pragma D attributes Stable/Stable/Comm x
BEGIN { exit(0); }
