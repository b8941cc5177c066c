"""Ids as words of eight bytes, so that they are compared and ordered by the column, without an object for each."""

import numpy as np

from rankproof.evaluating.fast.arrays import Bools, Bytes, Ints, NotColumnar, Words

PAD = 8
"""How many bytes behind a text must be there to be read."""
MOST_WORDS = 64
"""Longer ids are nobody's."""
MASKS = np.array([(1 << 8 * i) - 1 for i in range(9)], dtype=np.uint64)
"""The first so many bytes of a word."""
_SPICE = [np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)]


def padded_words(text: Bytes, starts: Ints, lengths: Ints) -> list[Words]:
    """The bytes of each token, the first in the lowest byte of the first word, zeros behind its end.

    >>> text = np.frombuffer(b"ab abcdefghi" + bytes(PAD), np.uint8)
    >>> [hex(word) for column in padded_words(text, np.array([0, 3]), np.array([2, 9])) for word in column.tolist()]
    ['0x6261', '0x6867666564636261', '0x0', '0x69']

    Raises:
        NotColumnar: a token is longer than any id.
    """
    count = max(1, -(-int(lengths.max(initial=0)) // 8))
    if count > MOST_WORDS:
        raise NotColumnar
    windows = np.ndarray((len(text) - 7,), "<u8", text, strides=(1,))
    words = [windows[starts] & MASKS[np.minimum(lengths, 8)]]
    for i in range(1, count):
        longer = np.flatnonzero(lengths > 8 * i)
        word = np.zeros(len(starts), dtype=np.uint64)
        word[longer] = windows[starts[longer] + 8 * i] & MASKS[np.minimum(lengths[longer] - 8 * i, 8)]
        words.append(word)
    return words


def hashes(words: list[Words]) -> Words:
    """A number for each id; different ids have the same one by accident only."""
    found = words[0]
    for word in words[1:]:
        found = (found ^ (found >> np.uint64(29))) * _SPICE[0] ^ word
    return (found ^ (found >> np.uint64(32))) * _SPICE[1]


def keys(found: Words, queries: Ints, bits: int) -> Words:
    """A number for each hash of an id under a query, in whose first bits the query stands: what is of one query lies together.

    Where they are the same, so are query and id but for an accident, which is for the caller to see.
    """
    query = queries.astype(np.uint64)
    mixed = found + query * _SPICE[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _SPICE[2]
    return np.asarray((mixed >> np.uint64(bits)) | (query << np.uint64(64 - bits)))


def same(words: list[Words], others: list[Words]) -> Bools:
    """Whether each id is the other one."""
    longer, shorter = (words, others) if len(words) > len(others) else (others, words)
    alike = np.ones(len(longer[0]), dtype=np.bool_)
    for i, word in enumerate(longer):
        alike &= word == (shorter[i] if i < len(shorter) else 0)
    return alike
