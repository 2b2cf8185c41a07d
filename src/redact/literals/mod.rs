//! Known values and blocked terms: many literals at once, by an automaton that falls back (Aho–Corasick).
