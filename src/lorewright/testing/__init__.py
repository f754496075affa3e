"""For tests of programs that use Lorewright: Hypothesis strategies (needs `hypothesis`)."""
