"""What both chat platforms share: who speaks, what messages start, where cards stand, how answers stream."""
