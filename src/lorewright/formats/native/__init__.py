"""Our own lorebook format, version 1: YAML for people, the same as JSON for programs."""
