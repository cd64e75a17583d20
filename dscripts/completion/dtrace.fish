# Completion of dtrace for fish.
complete -c dtrace -s n -x -d 'enable or list probes by name' -a "(dtrace --complete probe (commandline -ct))"
complete -c dtrace -s P -x -d 'by provider' -a "(dtrace --list-providers)"
complete -c dtrace -s m -x -d 'by module'
complete -c dtrace -s f -x -d 'by function'
complete -c dtrace -s i -x -d 'by ID'
complete -c dtrace -s s -r -d 'by a script'
complete -c dtrace -s c -x -d 'run a command and end with it' -a "(__fish_complete_command)"
complete -c dtrace -s p -x -d 'trace a running process' -a "(__fish_complete_pids; dtrace --complete process (commandline -ct))"
complete -c dtrace -s o -r -d 'append the output to a file'
complete -c dtrace -s x -x -d 'set an option' -a "(dtrace --complete option (commandline -ct))"
complete -c dtrace -s l -d 'list probes'
complete -c dtrace -s q -d 'print only what the program prints'
complete -c dtrace -s v -d 'stability, and arguments of probes'
complete -c dtrace -s w -d 'permit destructive actions'
complete -c dtrace -s F -d 'indent by function entry and return'
complete -c dtrace -s e -d 'exit after compiling'
complete -c dtrace -s Z -d 'permit descriptions that match no probe'
complete -c dtrace -s V -d 'print the version'
complete -c dtrace -l help -l version -l list-providers -l doctor -l examples -l explain -l emit -l tools
complete -c dtrace -l tool -x -d 'run a ready-made program' -a "(dtrace --complete tool (commandline -ct))"
