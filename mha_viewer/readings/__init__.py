"""Numbers read off attention patterns: plain numpy, without Qt or torch."""
