"""The grammar that turns a documented sentence into a rule object, and a description into a range,
a dtype or a list of choices.
"""
