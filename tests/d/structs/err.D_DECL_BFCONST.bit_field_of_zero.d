/*
 * A bit-field has at least one bit.
 *
 * line: 8
 * message: positive integral constant expression expected as bit-field size
 */

struct s { int :0; };
