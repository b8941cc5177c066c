"""Checking a person's own function: which conventions it follows, what shows that, and whether it is what it claims to be.

    function ──recognising──► target ──questions──► answers ──differing──► where they are not as claimed ──inferring──► what it follows

`forms` lists the ways a function may be called; `expressing` narrows a case to what such a form can be told, `functions` and `objects`
call it, `asking` does so within a time limit. `examining` is the whole of it, and `rankproof.check` its front door.
"""
