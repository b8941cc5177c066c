"""Checking a person's own function: which conventions it follows, what shows that, and whether it is what it claims to be.

    function ──recognising──► target ──questions──► answers ──differing──► where they are not as claimed ──inferring──► what it follows

How it may be called is the room `calling`, its process the room `isolating`. `call_search` puts `trials` to the ways to call it, and
`recognising` keeps the one whose answers are explained best. `examining` is the whole of it; what was found is written in
the room `telling`, where `rankproof.check` is.
"""
