"""For tests of programs that use Lorewright: assertions, and Hypothesis strategies (these need `hypothesis`)."""
