"""Replies that a route rewrites on their way to the client: blocks that are hidden, regex scripts."""
