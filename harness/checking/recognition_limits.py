"""The limits of recognising how a function is called, in one table: what is lost where each is larger, and where it is smaller.

Time is what the function takes for a call, of which each way costs some ten. A *way* is a form with an order of arguments and a reading of
the result; a *share* is that of the trial answers which one set of conventions explains; a *concord* says how far numbers go with
those of the measure, from -1 to 1.
"""

MOST_BROKEN = 4
"""After how many ways that ended the process or took too long no other is tried.

Larger: a function that hangs is waited for longer. Smaller: one that hangs as some forms would call it is not recognised by a later one.
"""
LOOKED_AT = 12
"""How many ways are tried on long inputs, too.

Larger: more time for each function that no name tells. Smaller: the right way is lost where short inputs rank it low, as of a large cutoff.
"""
NAMED_LOOKED_AT = 3
"""Of how many of the forms that names say the best way is tried on long inputs, whatever it explains.

Larger: more time for a function that names do not help. Smaller: what names say of a faulty function is lost to a form that explains it.
"""
OTHERWISE = 2
"""How many other ways are asked in a new process, where no answers are explained.

Larger: a process more for each function that is wrong. Smaller: what hangs on the order of a set is taken for what a wrong form explains.
"""
CONCORD_NAMED = 0.3
"""From which concord on answers may be the measure's, where names say how it is called, though not everything is explained.

Larger: a faulty function is called by another form than its names say. Smaller: a form that names suggest by chance hides the right one.
"""
CONCORD_UNNAMED = 0.5
"""The same, where no name says it: the form is a guess, and so more is asked of it."""
SHARE_OF_CHANCE = 0.5
"""The share of answers that, explained, are none by chance, of a hundred ways.

Larger: a function with a fault is refused, for no form seems to fit. Smaller: a function of something else is judged as the measure.
"""
CONCORD_OF_CHANCE = 0.9
"""The concord that none has by chance, of a hundred ways, where no name says the form; it trades the same."""
DIFFERENT = 4
"""How many values among many numbers no other form explains by chance.

Larger: what is right on flags alone is not seen. Smaller: a function that gives 0 or 1 is explained by forms that are not its own.
"""
MANY_NUMBERS = 6
"""How many numbers are needed, that a concord says anything.

Larger: functions that answer few trials are judged by their explained answers alone. Smaller: two numbers rise together by chance.
"""
NEAR = 6e-4
"""How far an explained answer may be off.

Larger: conventions that differ little are taken for one. Smaller: what rounds, or adds a small number to a divisor, explains nothing.
"""
MOST_CONVENTIONS = 150
"""How many sets of conventions that differ in the formula are looked at.

Larger: each way takes longer to be looked at. Smaller: a function of rare conventions is explained as well by a wrong form.
"""
LONG = 30
"""How many docs a trial has at most.

Larger: slow functions take longer. Smaller: a cutoff above it never cuts.
"""
LOW = 2
"""A cutoff below the length of most trials: larger, it cuts fewer of them; smaller, hardly anything differs at it."""
