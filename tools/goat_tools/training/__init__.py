"""How the weights are made; needs the extra ``train`` (numpy, numba), which playing never does."""
