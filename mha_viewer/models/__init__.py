"""Models: the protocol that every model meets, its tokens, and its forward pass."""
