"""Checking a person's own function: which conventions it follows, what shows that, and whether it is what it claims to be.

    function ──recognising──► target ──questions──► answers ──differing──► where they are not as claimed ──inferring──► what it follows

`call_forms` is the table of the ways in which a function may be called; `expressing` narrows a case to what such a form can be told,
`arguments` makes that lists, dicts and frames, `functions` and `objects` call it, and `given_values` reads what they give. Which of the
ways is the right one is tried: `call_candidates` lists those that fit the `parameters` of the `called_things`, by `argument_names` first,
and `recognising` keeps the one whose answers to some `trials` are explained best; `refusing` says why there is none. A function runs in
a process of its own: `child_process` starts and ends that, `child_side` runs there, `child_replies` is what it says; `in_process` is for
where there can be none. `call_sessions` asks, and asks again what broke a process. `examining` is the whole of
it, and `rankproof.check` its front door.
"""
