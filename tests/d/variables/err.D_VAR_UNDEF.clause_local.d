/*
 * So must a this-> variable.
 *
 * message: this->x has not yet been declared or assigned
 * line: 10
 */

BEGIN
{
	trace(this->x);
}
