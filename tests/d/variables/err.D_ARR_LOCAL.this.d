/*
 * this-> variables are no associative arrays.
 *
 * message: local variables may not be used as associative arrays: x
 * line: 10
 */

BEGIN
{
	this->x[1] = 1;
}
