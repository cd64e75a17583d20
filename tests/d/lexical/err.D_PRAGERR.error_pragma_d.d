/*
 * So is #pragma D error.
 *
 * line: 8
 * message: #error: two words 
 */

#pragma D error two words
