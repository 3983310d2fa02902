import numpy as np
import pytest


@pytest.fixture(scope="session")
def story() -> str:
    """A long text of simple sentences, the same at each run."""
    rng = np.random.default_rng(7)
    who = ["The cat", "A dog", "The old king", "My sister", "The little bird", "Tom"]
    did = ["saw", "liked", "looked for", "ran after", "sang to", "found"]
    what = ["the ball", "a red apple", "the queen", "her house", "the river", "a friend"]
    sentences = [f"{rng.choice(who)} {rng.choice(did)} {rng.choice(what)}." for _ in range(4000)]
    return "\n".join(
        " ".join(sentences[begin : begin + 5]) for begin in range(0, len(sentences), 5)
    )
