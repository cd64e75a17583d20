BEGIN { trace(x+(x+(x+(x+(x+(x+(x+(x+(x+(x+(x+(x+(x+(x+(x+(x+(x+(x+(x+(x+(x))))))))))))))))))))); exit(0); }
int x;
