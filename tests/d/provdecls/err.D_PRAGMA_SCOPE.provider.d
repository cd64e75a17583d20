/*
 * The attributes of a provider that is there are not the program's to say.
 *
 * line: 8
 * message: #pragma attributes cannot modify entity defined outside program scope
 */

#pragma D attributes Stable/Stable/Common provider dtrace provider

BEGIN { exit(0); }
