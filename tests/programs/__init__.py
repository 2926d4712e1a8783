"""What we make, opened by programs that are not ours."""
