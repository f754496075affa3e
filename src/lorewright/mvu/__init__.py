"""MVU: the tree of variables that a card of the Chinese scene keeps behind a chat (spec mvu-vars, mvu-filter)."""
