"""The process of a person's function: started, asked and ended, whatever the function does.

`child_process` starts and ends it, `child_side` runs there, `child_replies` is what it says; `in_process` is for where there can be
none, and `limits` bounds both. `call_sessions` asks, and asks again what broke a process.
"""
