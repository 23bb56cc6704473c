"""Fits multinomial logistic regression."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from longtake.agent.query.reader import Matrix, Softmax, shares

Slopes = Sequence[npt.NDArray[np.floating]]  # of each parameter

_ROUNDS = 200
_STEP, _BETA1, _BETA2, _TINY = 0.05, 0.9, 0.999, 1e-8  # of Adam


def fit_softmax(features: Matrix, truth: Matrix, *, decay: float) -> Softmax:
    """Fit a head by maximum likelihood, with `decay` times the squared weights as penalty.

    Args:
        features: (examples, features).
        truth: (examples, classes), each row summing to 1.
        decay: of the weights, against overfitting.
    """

    def slopes(parameters: Sequence[Matrix]) -> Slopes:
        weights, bias = parameters
        missed = (shares(features @ weights + bias) - truth) / len(features)
        return [features.T @ missed + decay * weights, missed.sum(axis=0)]

    start = [np.zeros((features.shape[1], truth.shape[1]), np.float32), np.zeros(truth.shape[1], np.float32)]
    return Softmax(*descended(start, slopes))


def descended(start: Sequence[Matrix], slopes: Callable[[Sequence[Matrix]], Slopes]) -> list[Matrix]:
    """Parameters after gradient descent with Adam (Kingma and Ba 2015) on all examples at a time.

    Args:
        start: the parameters; they aren't changed.
        slopes: the gradient of the loss for parameters, in the same shapes.
    """
    parameters = [each.copy() for each in start]
    first, second = [np.zeros_like(each) for each in start], [np.zeros_like(each) for each in start]
    for number in range(1, _ROUNDS + 1):
        for parameter, slope, mean, square in zip(parameters, slopes(parameters), first, second, strict=True):
            mean += (1 - _BETA1) * (slope - mean)
            square += (1 - _BETA2) * (slope**2 - square)
            scale = np.sqrt(square / (1 - _BETA2**number)) + _TINY
            parameter -= (_STEP * (mean / (1 - _BETA1**number)) / scale).astype(np.float32)
    return parameters
