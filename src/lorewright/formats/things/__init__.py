"""Files that are no books: presets, templates, regex scripts, quick replies. Kept whole, listed in short, not run."""
