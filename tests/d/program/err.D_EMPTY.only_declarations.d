/*
 * Plain declarations do not make a program.
 *
 * message: empty D program translation unit
 */

int x;
