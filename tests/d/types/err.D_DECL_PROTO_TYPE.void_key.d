/*
 * A key that is not alone is not of type void.
 *
 * line: 8
 * message: array prototype may not use parameter of type void: (anonymous), parameter #1
 */

int a[void, char];
BEGIN { exit(0); }
