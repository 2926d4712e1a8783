"""Series out of an installation and back in, lossless."""
