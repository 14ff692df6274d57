#!/usr/bin/env python3
"""Trains the classifier of 8x8 handwritten digits; writes digits.onnxtxt and images.h. Needs numpy and scikit-learn.

One hidden layer of 32, Adam, a little noise on the pixels and weight decay against learning the images by heart. 360 of
the 1797 images, drawn at random but evenly over the ten digits, are set aside before training: they judge the result,
and they are what images.h holds. The pixels are 0 to 16; the division by 16 is folded into the first layer's weights.
"""
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

HIDDEN, EPOCHS, BATCH, RATE, DECAY, NOISE = 32, 200, 32, 3e-3, 1e-3, 0.15
ALPHABET = "0123456789ABCDEFG"


def train(pixels, digits):
    rng = np.random.default_rng(1)
    params = [rng.normal(0, np.sqrt(2 / 64), (HIDDEN, 64)), np.zeros(HIDDEN),
              rng.normal(0, np.sqrt(1 / HIDDEN), (10, HIDDEN)), np.zeros(10)]
    mean, square, step = [0 * p for p in params], [0 * p for p in params], 0
    wanted = np.eye(10)[digits]
    for epoch in range(EPOCHS):
        rate = RATE * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order = rng.permutation(len(pixels))
        for some in np.split(order, range(BATCH, len(order), BATCH)):
            w1, b1, w2, b2 = params
            x = pixels[some] / 16 + rng.normal(0, NOISE, (len(some), 64))
            hidden = np.maximum(x @ w1.T + b1, 0)
            scores = hidden @ w2.T + b2
            odds = np.exp(scores - scores.max(1, keepdims=True))
            back = (odds / odds.sum(1, keepdims=True) - wanted[some]) / len(some)
            back1 = (back @ w2) * (hidden > 0)
            grads = [back1.T @ x + DECAY * w1, back1.sum(0), back.T @ hidden + DECAY * w2, back.sum(0)]
            step += 1
            for i, g in enumerate(grads):
                mean[i] = 0.9 * mean[i] + 0.1 * g
                square[i] = 0.999 * square[i] + 0.001 * g * g
                params[i] = params[i] - rate * (mean[i] / (1 - 0.9 ** step)) / (
                    np.sqrt(square[i] / (1 - 0.999 ** step)) + 1e-8)
    w1, b1, w2, b2 = params
    return w1 / 16, b1, w2, b2


def literal(v):
    """The shortest decimal that reads back as the same float32."""
    return np.format_float_positional(np.float32(v), unique=True, trim="-")


def tensor(name, values):
    lines, line = [], "   "
    for i, v in enumerate(values.ravel()):
        word = " " + literal(v) + ("," if i + 1 < values.size else "")
        if len(line) + len(word) > 118:
            lines.append(line)
            line = "   "
        line += word
    return f"    float{list(values.shape)} {name} = {{\n".replace(", ", ",") + "\n".join(lines + [line]) + "}"


def write_model(w1, b1, w2, b2):
    weights = ",\n".join(tensor(n, v) for n, v in (("w1", w1), ("b1", b1), ("w2", w2), ("b2", b2)))
    with open("digits.onnxtxt", "w") as f:
        f.write(f"""# Which digit is this? Written by train.py: a network with one hidden layer.
<ir_version: 8, opset_import: ["" : 17]>
digits (float[1,8,8] image) => (int64[1] digit, float[1,10] probability)
  <
{weights}
  >
{{
    pixels = Flatten(image)
    sum1 = Gemm <transB = 1> (pixels, w1, b1)
    hidden = Relu(sum1)
    score = Gemm <transB = 1> (hidden, w2, b2)
    digit = ArgMax <axis = 1, keepdims = 0> (score)
    probability = Softmax <axis = 1> (score)
}}
""")


def write_images(pixels, digits):
    with open("images.h", "w") as f:
        f.write(f"""/* {len(pixels)} handwritten digits that the training has not seen. Written by train.py.
 * From: E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998,
 * https://doi.org/10.24432/C50P49, licensed under CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/);
 * changed only in how it is written down: the digit, then 8 rows of 8 pixels, 0 to 9 and A to G for 0 to 16. */
enum {{ IMAGE_COUNT = {len(pixels)} }};
static const char images[IMAGE_COUNT][66] = {{
""")
        for p, d in zip(pixels, digits):
            f.write(f'    "{d}" "{"".join(ALPHABET[int(v)] for v in p)}",\n')
        f.write("};\n")


def main():
    data = load_digits()
    x, unseen, y, unseen_y = train_test_split(data.data, data.target, test_size=360, random_state=0,
                                              stratify=data.target)
    w1, b1, w2, b2 = train(x, y)
    w1, b1, w2, b2 = ((np.round(v, n) + 0.0).astype(np.float32) for v, n in ((w1, 5), (b1, 3), (w2, 4), (b2, 3)))
    for what, p, d in (("training", x, y), ("unseen", unseen, unseen_y)):
        guess = (np.maximum(p @ w1.T + b1, 0) @ w2.T + b2).argmax(1)
        print(f"{what}: {(guess == d).sum()} of {len(d)} right, {100 * (guess == d).mean():.2f} %")
    write_model(w1, b1, w2, b2)
    write_images(unseen, unseen_y)


if __name__ == "__main__":
    main()
