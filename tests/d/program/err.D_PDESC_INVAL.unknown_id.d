/*
 * A probe id must be known.
 *
 * message: invalid probe identifier 0: Unknown probe identifier
 * line: 8
 */

0 { }
