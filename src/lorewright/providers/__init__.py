"""The wire shapes of model APIs: bytes and JSON in, data out. No network, no clock."""
