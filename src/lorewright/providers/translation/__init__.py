"""From the shape of one API to that of another, by a table that has a verdict for everything the source can say."""
