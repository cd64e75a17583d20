/*
 * A dimension is a positive constant.
 *
 * message: positive integral constant expression or tuple signature expected as array declaration subscript
 * line: 8
 */

int a[-7];
BEGIN { exit(0); }
