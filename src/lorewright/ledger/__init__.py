"""What a model was told, turn by turn, so that it can be proved, repeated and explained."""
