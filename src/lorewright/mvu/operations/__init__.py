"""The operations that change a tree, one file each."""
