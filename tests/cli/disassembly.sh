# -S prints the instructions of each compiled expression on standard error.
. tests/lib/lib.sh

d -S -en 'BEGIN { trace(7); }'
ends 0 -S
like "header, title, instructions" "$err" '*
DIFO 0x* returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER\[0\], %r1		! 0x7
01: 23000001    ret  %r1*'
d -S -en 'BEGIN { trace(execname); x = 1; trace(x + 2); trace(strlen("abc")); }'
like "string" "$err" '*returns string (unknown) by ref (size 256)*'
like "variable" "$err" '*stgs %r1, DT_VAR(*)*! DT_VAR(*) = "x"*'
like "call" "$err" '*call DIF_SUBR(*), %r1*! strlen*'
like "table" "$err" '*NAME             ID   KND SCP FLAG TYPE*'
d -S -en 'BEGIN { m = 2; n = 1; q = n / (m - 2); }'
got=$(printf '%s\n' "$err" | awk '/^[0-9a-f][0-9a-f]: / { print $3 }' | tail -10 | tr '\n' ' ')
is "n / (m - 2)" "$got" "ldgs ldgs setx sub sdiv setx sll sra stgs ret "
finish
