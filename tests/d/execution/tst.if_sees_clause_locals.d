/*
 * this-> variables set before are visible in the pieces.
 *
 * opts: -q
 */

BEGIN
{
	this->a = 4;
	if (this->a > 3) {
		this->b = this->a * 2;
	}
	printf("%d\n", this->b);
	exit(0);
}
