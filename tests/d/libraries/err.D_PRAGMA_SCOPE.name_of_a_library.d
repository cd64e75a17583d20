/*
 * The attributes of a library's names are not the program's to say.
 *
 * line: 8
 * message: #pragma attributes cannot modify entity defined outside program scope
 */

#pragma D attributes Private/Private/Common curpsinfo

BEGIN { exit(0); }
