/*
 * So do subscripts.
 *
 * line: 8
 * message: cannot dereference non-pointer type
 */

BEGIN { trace((5)[1]); }
