"""Checking a person's own function: which conventions it follows, what shows that, and whether it is what it claims to be.

    function ──recognising──► target ──questions──► answers ──differing──► where they are not as claimed ──inferring──► what it follows

`call_forms` lists the ways a function may be called; `expressing` narrows a case to what such a form can be told, `functions` and `objects`
call it. A function runs in a process of its own: `child_process` starts and ends that, `child_side` runs there, `child_replies` is what
it says; `in_process` is for where there can be none. `call_sessions` asks, and asks again what broke a process. `examining` is the whole of
it, and `rankproof.check` its front door.
"""
