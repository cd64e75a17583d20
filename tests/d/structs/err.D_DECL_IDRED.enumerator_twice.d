/*
 * A second enumerator of the same name is an error.
 *
 * line: 9
 * message: identifier redeclared: A
 */

enum e { A };
enum f { A };
