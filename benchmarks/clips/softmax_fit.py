"""Fits multinomial logistic regression."""

from __future__ import annotations

import numpy as np

from longtake.agent.query.reader import Matrix, Softmax, shares

_ROUNDS = 200
_STEP, _BETA1, _BETA2, _TINY = 0.05, 0.9, 0.999, 1e-8  # of Adam


def fit_softmax(features: Matrix, truth: Matrix, *, decay: float) -> Softmax:
    """Fit a head by maximum likelihood, with `decay` times the squared weights as penalty.

    By gradient descent with Adam (Kingma and Ba 2015), 200 steps on all examples at a time.

    Args:
        features: (examples, features).
        truth: (examples, classes), each row summing to 1.
        decay: of the weights, against overfitting.
    """
    fitted = [np.zeros((features.shape[1], truth.shape[1]), np.float32), np.zeros(truth.shape[1], np.float32)]
    first, second = [np.zeros_like(each) for each in fitted], [np.zeros_like(each) for each in fitted]
    for number in range(1, _ROUNDS + 1):
        weights, bias = fitted
        missed = (shares(features @ weights + bias) - truth) / len(features)
        slopes = features.T @ missed + decay * weights, missed.sum(axis=0)
        for parameter, slope, mean, square in zip(fitted, slopes, first, second, strict=True):
            mean += (1 - _BETA1) * (slope - mean)
            square += (1 - _BETA2) * (slope**2 - square)
            scale = np.sqrt(square / (1 - _BETA2**number)) + _TINY
            parameter -= (_STEP * (mean / (1 - _BETA1**number)) / scale).astype(np.float32)
    return Softmax(*fitted)
