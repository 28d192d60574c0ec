"""What counts how much? Every figure of ranking, in one place."""

from __future__ import annotations

from cormorant.index.query import Weights

DEFAULT = Weights(
    title=3.0,  # with 1: .393
    text=1.0,
    anchors=0.0,  # links have no say until crawls deliver their texts
    form=0.7,  # without other forms of words: .396; with 1: .421
    strict_words=5,  # a question of more words is a sentence, in which not every word matters; without end: .258
    rare_word=1.0,  # with 0: .388; with 2: .396
    pair=0.5,  # with 0: .392; with 1: .398
)
"""Mean average precision on Cranfield (1,400 abstracts, 225 questions of some twenty words) is .421 with these."""
