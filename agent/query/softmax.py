"""A linear head: multinomial logistic regression on dense features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Softmax:
    """A linear head: `weights` (features, classes) and `bias` (classes,)."""

    weights: Matrix
    bias: Matrix

    def __call__(self, features: Matrix) -> Matrix:
        """Probabilities, (rows, classes), of features (rows, features)."""
        return shares(features @ self.weights + self.bias)

    def cooled(self, temperature: float) -> Softmax:
        """The same head with its scores divided by a temperature (Guo et al. 2017); below 1, it is more confident."""
        return Softmax(self.weights / np.float32(temperature), self.bias / np.float32(temperature))


def shares(scores: Matrix) -> Matrix:
    """Scores as probabilities, row by row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities: Matrix = powers / powers.sum(axis=1, keepdims=True)
    return probabilities
