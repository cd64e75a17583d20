/*
 * #pragma error is an error with its words, each followed by a blank.
 *
 * line: 8
 * message: #error: two words 
 */

#pragma error two words
