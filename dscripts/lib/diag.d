/* diag.d: the arguments of the diag provider. */
provider diag {
	probe events(char *from, uint64_t id, uint64_t opcode, uint64_t size, char *payload) :
		(string from, uint64_t id, uint64_t opcode, uint64_t size, char *payload);
	probe ignored(char *from, uint64_t id, uint64_t opcode, uint64_t size, char *payload) :
		(string from, uint64_t id, uint64_t opcode, uint64_t size, char *payload);
};
