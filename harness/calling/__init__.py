"""Calling what a person names: what it is, how it is to be called, and what it gives.

`call_forms` is the table of the ways in which a function may be called; `expressing` narrows a case to what such a form can be told,
`arguments` makes that lists, dicts and frames, `functions` and `objects` call it, and `given_values` reads what they give. Which of the
ways may be the right one: `call_candidates` lists those that fit the `parameters` of the `called_things`, by `argument_names` first;
`refusing` says why there is none. Nothing here starts a process or knows what a measure's value is.
"""
