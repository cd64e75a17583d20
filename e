dtrace: -B not valid in combination with [-Gl] options
