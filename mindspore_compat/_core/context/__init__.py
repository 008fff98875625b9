"""The values that scripts set once: execution mode, device, parallel settings."""
