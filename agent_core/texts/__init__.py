"""What people read, in every language we speak."""
