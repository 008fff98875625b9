"""A small BERT: an encoder learns to fill in masked words, then to classify sentences.

    python -m mindspore_compat docs/examples/bert_finetuning.py

Sentences come from a small grammar: "the old film is not boring I liked it". First the encoder
guesses masked words; this needs no labels. It is then fine-tuned on 48 sentences that are labelled
as praise or blame and lack the ending "I liked it". For comparison, the same network is trained
from scratch. The script draws both losses into bert_finetuning.svg.
"""

import argparse
import pathlib

import mindspore as ms
import numpy as np
from loss_curves import draw_loss_curves
from mindspore import nn, ops

SUBJECTS = ["film", "book", "song", "play", "meal", "room"]
GOOD, BAD = ["superb", "lovely", "great", "fine"], ["boring", "awful", "poor", "dull"]
WORDS = [
    "[pad]",
    "[cls]",
    "[mask]",
    "the",
    "a",
    "is",
    "was",
    "not",
    "very",
    "old",
    "new",
    *SUBJECTS,
    *GOOD,
    *BAD,
    "I",
    "liked",
    "hated",
    "it",
]
NUMBER = {word: number for number, word in enumerate(WORDS)}
LENGTH = 10


def make_sentences(count, seed, verdict):
    """Sentences as token ids, (count, LENGTH), int32, and labels, int32: 1 for praise.

    With `verdict` the sentences end with "I liked it" or "I hated it".
    """
    random = np.random.default_rng(seed)
    rows, labels = np.zeros((count, LENGTH), np.int32), np.zeros(count, np.int32)
    for row in range(count):
        praise, negated = random.integers(0, 2, 2)
        word = random.choice(GOOD if praise != negated else BAD)
        words = [
            "[cls]",
            random.choice(["the", "a"]),
            random.choice(["old", "new"]),
            random.choice(SUBJECTS),
            random.choice(["is", "was"]),
            "not" if negated else "very",
            word,
        ]
        if verdict:
            words += ["I", "liked" if praise else "hated", "it"]
        rows[row, : len(words)] = [NUMBER[token] for token in words]
        labels[row] = praise
    return rows, labels


class Encoder(nn.Cell):
    """Embeddings of words and positions, and two Transformer layers."""

    def __init__(self, width=32):
        super().__init__()
        self.words = nn.Embedding(len(WORDS), width)
        self.positions = nn.Embedding(LENGTH, width)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2)

    def construct(self, rows):
        return self.layers(self.words(rows) + self.positions(ops.arange(LENGTH)))


class MaskedWords(nn.Cell):
    """Scores of every word at every position."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Dense(32, len(WORDS))

    def construct(self, rows):
        return self.head(self.encoder(rows)).swapaxes(1, 2)


class Judge(nn.Cell):
    """Scores of blame and praise, from the first position."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Dense(32, 2)

    def construct(self, rows):
        return self.head(self.encoder(rows)[:, 0])


def train(network, batches, rate):
    """Take one step of Adam per batch (rows, targets); return the losses."""
    loss_fn = nn.CrossEntropyLoss(ignore_index=-1)
    optimizer = nn.AdamWeightDecay(network.trainable_params(), rate, weight_decay=0.01)
    step = ms.value_and_grad(
        lambda rows, targets: loss_fn(network(rows), targets), None, optimizer.parameters
    )
    losses = []
    for rows, targets in batches:
        loss, grads = step(ms.Tensor(rows), ms.Tensor(targets))
        optimizer(grads)
        losses.append(float(loss))
    return losses


def masked_batches(count, seed):
    """Batches of 50 sentences with one word in six masked; targets are the masked words, or -1."""
    random = np.random.default_rng(seed)
    for step in range(count):
        rows, _ = make_sentences(50, seed * 1000 + step, True)
        masked = (random.random(rows.shape) < 1 / 6) & (rows > NUMBER["[mask]"])
        yield np.where(masked, NUMBER["[mask]"], rows), np.where(masked, rows, -1)


def fine_tune(encoder, epochs):
    """Fine-tune on 48 labelled sentences; return the losses and the accuracy on 500 others."""
    rows, labels = make_sentences(48, 7, False)
    judge = Judge(encoder)
    batches = [(rows[at : at + 16], labels[at : at + 16]) for at in range(0, 48, 16)] * epochs
    losses = train(judge, batches, 1e-3)
    rows, labels = make_sentences(500, 8, False)
    return losses, (judge(ms.Tensor(rows)).asnumpy().argmax(1) == labels).mean()


def main():
    """Train with and without masked words, print the accuracies, and draw the losses."""
    parser = argparse.ArgumentParser(description="Fine-tune a small BERT.")
    parser.add_argument("--steps", type=int, default=800, help="of the training on masked words")
    parser.add_argument("--epochs", type=int, default=12, help="of the fine-tuning")
    parser.add_argument("--output", default=".")
    arguments = parser.parse_args()
    ms.set_seed(2)
    encoder = Encoder()
    losses = train(MaskedWords(encoder), masked_batches(arguments.steps, 1), 2e-3)
    print(f"masked words: loss {losses[0]:.3f} at first, {np.mean(losses[-20:]):.3f} at last")
    curves = {}
    for name, start in (("fine-tuned", encoder), ("from scratch", Encoder())):
        losses, accuracy = fine_tune(start, arguments.epochs)
        print(f"{name}: accuracy on 500 new sentences {accuracy:.3f}")
        curves[f"{name} ({accuracy:.1%})"] = losses
    draw_loss_curves(
        pathlib.Path(arguments.output) / "bert_finetuning.svg",
        "Judging sentences after masked words",
        curves,
    )


if __name__ == "__main__":
    main()
