/*
 * The size of a bit-field is a positive constant.
 *
 * message: positive integral constant expression expected as bit-field size
 * line: 8
 */

struct s { int a:0; };
BEGIN { exit(0); }
