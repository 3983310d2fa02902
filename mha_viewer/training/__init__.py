"""How micro came to be: its corpus, its training loop, and what its heads turned out to do."""
